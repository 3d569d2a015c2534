"""The null of a ledger: its figures, and the sentence about the gain."""

import numpy as np
import pytest

from concord.filtering import (
    DropRating,
    ExcludeWorker,
    Ledger,
    WorkerFilter,
    ZScoreFilter,
    describe_gain,
    null_alpha,
    replay,
    selection_alpha,
)
from concord.inference import Estimate
from concord.reliability import Ratings, RatingsError, alpha
from tests.concord.reliability.oracles import kpqa_filtered, package_alpha

KPQA = Ledger((ZScoreFilter(),))


def uniform(units=200, raters=10):
    table = np.random.default_rng(4).integers(1, 6, (units, raters)).astype(float)
    return Ratings.from_matrix(table)


def null(ledger=KPQA, draws=20, seed=0, ratings=None):
    return null_alpha(ratings or uniform(), ledger, np.random.default_rng(seed), draws)


def test_noise_is_its_own_null():
    ratings = uniform(1000)
    before, result = null(draws=30, ratings=ratings)
    after = replay(KPQA, ratings).after.value
    assert result.value == pytest.approx(0.37, abs=0.015)
    assert before.value == pytest.approx(0.0, abs=0.01)
    assert result.low < after < result.high


def test_a_draw_equals_plain_numpy():
    ratings = uniform(30, 6)
    before, result = null(draws=1, ratings=ratings, seed=5)
    units = np.random.default_rng(5).permutation(ratings.units)
    table = np.array([ratings.values[units == unit] for unit in range(30)])
    assert result.value == pytest.approx(package_alpha(kpqa_filtered(table), "ordinal"), abs=1e-9)
    assert before.value == pytest.approx(package_alpha(table, "ordinal"), abs=1e-9)


def test_units_keep_their_number_of_ratings_and_the_seed_its_result():
    table = uniform(20, 4).matrix()
    table[:10, 2:] = np.nan
    ratings = Ratings.from_matrix(table)
    before = ratings.units.copy()
    assert null(ratings=ratings) == null(ratings=ratings)
    assert null(ratings=ratings) != null(ratings=ratings, seed=1)
    np.testing.assert_array_equal(ratings.units, before)


def test_steps_that_do_not_look_at_agreement_make_none():
    _, result = null(Ledger((ExcludeWorker("3"), DropRating("5", "4"))))
    assert result.value == pytest.approx(0.0, abs=0.02)


def test_every_kind_of_step_can_be_shuffled():
    assert null(Ledger((WorkerFilter(1.5), ZScoreFilter(1.2, one_sided=True))))[1].value > 0


def test_undefined_are_counted_and_explained():
    ratings = Ratings.from_matrix(np.full((4, 3), 2.0))
    both = null(ratings=ratings, draws=5)
    assert (both[1].value, both[1].ci, both[1].undefined) == (None, None, 5)
    sentence = describe_gain(alpha(ratings), alpha(ratings), both)
    assert "is unknown: every rating is 2" in sentence


def test_no_draws_are_refused():
    with pytest.raises(RatingsError, match="draws must be"):
        null(draws=0)


def shuffles(mean, low, high):
    return Estimate(0.0), Estimate(mean, low, high)


def sentence_of(before, after, mean=0.35, low=0.33, high=0.37):
    return describe_gain(Estimate(before), Estimate(after), shuffles(mean, low, high))


def test_selecting_alone_multiplies_the_disagreement_left():
    assert selection_alpha(0.5, shuffles(0.4, 0.3, 0.5)) == pytest.approx((0.7, 0.65, 0.75))


def test_the_sentence_tells_noise_from_gain():
    assert "none of the gain of 0.350 need be real" in sentence_of(0.0, 0.35)
    assert "at most 0.125 is real" in sentence_of(0.5, 0.8)
    assert "about 0.675" in sentence_of(0.5, 0.8)
    assert "There is no gain" in sentence_of(0.5, 0.4)
    assert "at most 0.100 is real" in sentence_of(0.5, 0.6, mean=-0.1, low=-0.2, high=0.0)
