"""Errors over passages and raters: closed forms, invariance, coverage, and what has no raters."""

from __future__ import annotations

import numpy as np
import pytest

from concord.inference.means import clustered_error, clustered_mean
from concord.inference.tails import t_quantile
from concord.inference.two_way import RaterWeights, two_way_error, two_way_mean, two_way_share


def ratings(rng, *, passages, raters, each, between):
    """Ratings of passages by `each` of the raters: (values, passages, raters)."""
    who = np.array([rng.choice(raters, each, replace=False) for _ in range(passages)])
    values = (
        rng.normal(0, 0.6**0.5, (passages, 1))
        + rng.normal(0, between**0.5, raters)[who]
        + rng.normal(0, 0.5**0.5, who.shape)
    )
    return values.ravel(), np.repeat(np.arange(passages), each), who.ravel()


def test_where_all_rate_all_the_error_is_that_of_the_mean_squares():
    rng = np.random.default_rng(1)
    values, passages, raters = ratings(rng, passages=300, raters=8, each=8, between=0.4)
    table = np.empty((300, 8))
    table[passages, raters] = values
    by_passage = 8 * table.mean(axis=1).var(ddof=1)
    by_rater = 300 * table.mean(axis=0).var(ddof=1)
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    within = (rest**2).sum() / (299 * 7)
    error, degrees = two_way_error(values, passages, raters)
    assert error == pytest.approx(np.sqrt((by_passage + by_rater - within) / 2400), rel=0.01)
    assert 7 < degrees < 299


@pytest.mark.parametrize(("raters", "each"), [(3, 3), (5, 3), (20, 3)])
@pytest.mark.parametrize("between", [0.0, 0.15])
@pytest.mark.parametrize("passages", [10, 100])
def test_intervals_cover_the_mean_of_other_raters(raters, each, between, passages):
    rng = np.random.default_rng(2)
    held = []
    for _ in range(250):
        data = ratings(rng, passages=passages, raters=raters, each=each, between=between)
        error, degrees = two_way_error(*data)
        held.append(abs(data[0].mean()) <= t_quantile(0.975, degrees) * error)
    # The Monte Carlo error is 0.014.
    assert 0.90 <= np.mean(held) <= 0.995


def test_an_affine_change_scales_the_error_alone():
    rng = np.random.default_rng(3)
    values, passages, raters = ratings(rng, passages=20, raters=5, each=3, between=0.2)
    error, degrees = two_way_error(values, passages, raters)
    for scale, shift in ((1e-6, 0.0), (-1e6, 7.0), (1.0, 1e4)):
        changed = two_way_error(scale * values + shift, passages, raters)
        assert changed == pytest.approx((abs(scale) * error, degrees), rel=1e-6)


def test_codes_are_names():
    rng = np.random.default_rng(4)
    values, passages, raters = ratings(rng, passages=20, raters=5, each=3, between=0.2)
    renamed = two_way_error(values, 7 * passages + 3, 90 - 2 * raters)
    assert renamed == pytest.approx(two_way_error(values, passages, raters), rel=1e-12)


def test_few_raters_are_these_raters():
    rng = np.random.default_rng(5)
    values, passages, raters = ratings(rng, passages=20, raters=2, each=2, between=0.5)
    expected = clustered_error(values, passages)
    assert two_way_error(values, passages, raters) == pytest.approx(expected)
    alone = np.where(np.arange(60) < 58, 0, np.arange(60) - 57)
    weights = RaterWeights.of(np.full(60, 1 / 60), np.arange(60), alone)
    assert not weights.are_random, "one of three raters gave nearly all ratings"


def test_a_difference_by_other_raters_has_fewer_degrees():
    passages, raters = np.repeat(np.arange(30), 5), np.tile(np.arange(5), 30)
    weights = np.full(150, 1 / 150)
    same = RaterWeights.of(weights, passages, raters)
    other = RaterWeights.of(weights, passages, raters + 5)
    assert same.minus(same).degrees == pytest.approx(4)
    assert same.minus(other).degrees == pytest.approx(8)


def test_p_and_interval_of_a_share_agree():
    rng = np.random.default_rng(6)
    for _ in range(50):
        hits = (rng.random(90) < 0.6).astype(float)
        share = two_way_share(
            hits, np.repeat(np.arange(30), 3), np.tile(np.arange(3), 30), null=0.5
        )
        assert (share.low > 0.5 or share.high < 0.5) == (share.p < 0.05)
        assert 0 < share.low < share.value < share.high < 1


def test_a_mean_says_whether_its_interval_is_for_other_raters():
    rng = np.random.default_rng(4)
    passages = np.repeat(np.arange(20), 3)
    values = rng.normal(size=60)
    others = two_way_mean(values + (passages % 3), passages, np.tile([0, 1, 2], 20), null=0.0)
    these = two_way_mean(values, passages, np.tile([0, 1, 1], 20))
    assert (others.over, these.over) == ("passages and raters", "passages")
    assert others.n == 60 and others.clusters == 20 and others.p is not None
    assert (others.low > 0) == (others.p < 0.05)
    assert these.ci == pytest.approx(clustered_mean(values, passages).ci)
    assert two_way_mean(values[:0], passages[:0], passages[:0]).value is None
