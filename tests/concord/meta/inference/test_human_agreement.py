"""The human ceiling on ratings whose reliability is known by construction."""

from __future__ import annotations

import math

import numpy as np
import pytest

from concord.meta.inference import (
    SampleError,
    ScoredSample,
    SingleRatings,
    agreement_with_others,
    correlations,
    human_agreement,
    relative_agreement,
)
from concord.meta.inference.ratings import replace_scores


def made_up(raters: int, known: bool, candidates: int = 1500, seed: int = 0):
    """Truth and each rater's noise have variance 1: reliability k / (k + 1), and one rater reaches
    1 / sqrt(2 (1 + 1 / (k - 1)))."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=candidates)
    values = truth[:, None] + rng.normal(size=(candidates, raters))
    ratings = SingleRatings.from_arrays(
        np.repeat(np.arange(candidates), raters),
        values.ravel(),
        items=np.arange(candidates) // 5,
        systems=np.arange(candidates) % 5,
        raters=np.tile(np.arange(raters), candidates) if known else None,
    )
    return truth, values.mean(axis=1), ratings


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("raters", [2, 3, 4, 7])
def test_it_is_what_the_noise_says(raters, known):
    _, _, ratings = made_up(raters, known)
    result = human_agreement(ratings, "pearson", rng=np.random.default_rng(1), draws=60)
    one = 1 / math.sqrt(2 * (1 + 1 / (raters - 1)))
    assert result.held_out.value == pytest.approx(one, abs=0.04)
    assert result.reliability.value == pytest.approx(raters / (raters + 1), abs=0.03)
    assert result.held_out.ci[0] < result.held_out.value < result.held_out.ci[1]
    assert result.reliability.ci[0] < result.reliability.value < result.reliability.ci[1]
    assert (result.by_rater, result.raters) == (known, raters if known else None)
    assert (result.candidates, result.ratings_each) == (1500, raters)


def test_a_perfect_metric_corrected_for_noise_reaches_one():
    truth, gold, ratings = made_up(3, known=False)
    result = human_agreement(ratings, "pearson", rng=np.random.default_rng(1), draws=40)
    sample = ScoredSample.from_scores({"truth": truth}, gold, items=np.arange(len(gold)))
    (against,) = relative_agreement(sample, result)
    assert correlations(sample, "pearson")[0].value == pytest.approx(math.sqrt(3 / 4), abs=0.02)
    assert against.corrected.value == pytest.approx(1.0, abs=0.03)
    # The truth correlates with the others' mean at sqrt(2 / 3), a rater at sqrt(1 / 3).
    assert against.relative.value == pytest.approx(math.sqrt(2), abs=0.05)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("raters", [2, 3, 5])
def test_a_metric_that_is_one_more_rater_reaches_one(raters, known):
    truth, gold, ratings = made_up(raters, known, candidates=6000)
    result = human_agreement(ratings, "pearson", rng=np.random.default_rng(1), draws=10)
    metric = truth + np.random.default_rng(2).normal(size=len(truth))
    sample = ScoredSample.from_scores({"metric": metric}, gold, items=np.arange(len(gold)))
    (against,) = relative_agreement(sample, result)
    assert against.relative.value == pytest.approx(1.0, abs=0.03)
    (others,) = agreement_with_others(replace_scores(ratings.sample, metric, gold), result)
    assert others.value / result.held_out.value == pytest.approx(against.relative.value)
    assert others.ci[0] < result.held_out.value < others.ci[1]


def test_the_interval_has_no_noise_of_one_choice_of_halves():
    """With a split for each resample, the interval was 1.4 to 1.8 times as wide."""
    values, widths = [], []
    for seed in range(40):
        _, _, ratings = made_up(3, known=False, candidates=150, seed=seed)
        found = human_agreement(ratings, "pearson", rng=np.random.default_rng(seed), draws=100)
        values.append(found.halves.value)
        widths.append(found.halves.high - found.halves.low)
    assert 0.75 < np.mean(widths) / (2 * 1.96 * np.std(values)) < 1.3


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("grouping", ["none", "item", "sys"])
@pytest.mark.parametrize("coefficient", ["spearman", "kendall_b", "kendall_c"])
def test_every_coefficient_and_grouping_has_one(coefficient, grouping, known):
    _, _, ratings = made_up(4, known, candidates=200)
    result = human_agreement(ratings, coefficient, grouping, rng=np.random.default_rng(0), draws=20)
    assert 0.2 < result.held_out.value < 0.8
    assert result.halves.value < result.reliability.value
    sample = replace_scores(ratings.sample, np.arange(200.0), ratings.sample.gold)
    corrected = relative_agreement(sample, result)[0].corrected
    assert (corrected.value is None) == coefficient.startswith("kendall")


def test_the_same_seed_gives_the_same_ceiling():
    _, _, ratings = made_up(3, known=False, candidates=60)
    one, other = (
        human_agreement(ratings, "spearman", "sys", rng=np.random.default_rng(5), draws=10)
        for _ in range(2)
    )
    assert one == other


def test_candidates_may_have_any_number_of_ratings_and_one_is_not_enough():
    ratings = SingleRatings.from_arrays(
        [0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 3],
        [1, 2, 3, 9, 4, 4, 5, 4, 5, 4, 5],
        items=[0, 1, 2, 3],
        raters=[1, 2, 3, 1, 1, 2, 1, 2, 3, 4, 5],
    )
    assert ratings.counts.tolist() == [3, 2, 5]
    assert ratings.sample.gold.tolist() == pytest.approx([2, 4, 4.6])
    rng = np.random.default_rng(0)
    held_out = ratings.hold_out_one(rng)
    total = held_out.scores[0] + held_out.gold * (ratings.counts - 1)
    assert total == pytest.approx(ratings.sample.gold * ratings.counts)
    halves = ratings.split_halves(rng)
    assert {halves.scores[0][1], halves.gold[1]} == {4.0}
    of, rater_sample = ratings.hold_out_rater(0)
    assert of.tolist() == [0, 1, 2] and rater_sample.scores[0].tolist() == [1, 4, 5]
    assert rater_sample.gold.tolist() == pytest.approx([2.5, 4, 4.5])


def test_halves_share_no_rating():
    rng = np.random.default_rng(0)
    values = 10.0 ** np.arange(5)
    ratings = SingleRatings.from_arrays([0] * 5, values, items=[0])
    for _ in range(20):
        halves = ratings.split_halves(rng)
        one, other = (str(int(2 * side[0])) for side in (halves.scores[0], halves.gold))
        assert one.count("1") == other.count("1") == 2
        assert int(one) + int(other) < 2 * 11111 and "2" not in str(int(one) + int(other))


def test_raters_who_rated_little_or_always_alike_are_left_out():
    _, _, full = made_up(3, known=True, candidates=50)
    candidates = np.concatenate([full.candidates, [0, 1], np.arange(50)])
    values = np.concatenate([full.values, [1.0, 2.0], np.full(50, 3.0)])
    raters = np.concatenate([full.raters, [8, 8], np.full(50, 9)])
    ratings = SingleRatings.from_arrays(candidates, values, items=np.arange(50), raters=raters)
    result = human_agreement(ratings, "pearson", rng=np.random.default_rng(0), draws=10)
    assert (result.raters, result.raters_seen) == (3, 5)


def test_ratings_all_alike_have_no_ceiling():
    ratings = SingleRatings.from_arrays([0, 0, 1, 1, 2, 2], [3.0] * 6, items=[0, 1, 2])
    result = human_agreement(ratings, "pearson", rng=np.random.default_rng(0), draws=5)
    assert result.held_out.reason == result.reliability.reason == "all ratings are equal"
    sample = replace_scores(ratings.sample, np.arange(3.0), np.arange(3.0))
    (against,) = relative_agreement(sample, result)
    assert against.relative.value is None and against.corrected.value is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"values": [1, 2, np.nan, 4]}, "a rating is not finite"),
        ({"candidates": [0, 0, 1, 7]}, "none of the 2 candidates"),
        ({"candidates": [0, 0, 1]}, "must be one vector"),
        ({"raters": [1, 1, 2, 3]}, "rated one candidate twice"),
        ({"candidates": [0, 1], "values": [1, 2]}, "no candidate has two ratings"),
    ],
)
def test_what_cannot_be_ratings_is_refused(changed, message):
    arguments = {"candidates": [0, 0, 1, 1], "values": [1, 2, 3, 4], "items": [0, 1]} | changed
    with pytest.raises(SampleError, match=message):
        SingleRatings.from_arrays(arguments.pop("candidates"), arguments.pop("values"), **arguments)
