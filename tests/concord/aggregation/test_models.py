"""Dawid-Skene and MACE against crowd-kit's posteriors (make_golden.py)."""

import json
from pathlib import Path

import numpy as np
import pytest

from concord.aggregation import dawid_skene, mace
from concord.aggregation.posterior import Posterior
from concord.reliability import Ratings, RatingsError

CASES = json.loads(Path(__file__).with_name("crowd_kit.json").read_text())


def ratings_of(case):
    units, raters, values = np.array(case["ratings"]).T
    return Ratings(units, raters, values.astype(float))


def shuffled_names(case, seed):
    """The same ratings in another order, with units and raters numbered otherwise."""
    rows = np.random.default_rng(seed).permutation(np.array(case["ratings"]))
    ratings = Ratings.from_rows(
        (int(unit), int(rater), float(value)) for unit, rater, value in rows
    )
    return ratings, np.argsort([int(name) for name in ratings.unit_names])


@pytest.mark.parametrize("case", CASES)
def test_dawid_skene_equals_crowd_kit_once_nothing_changes(case):
    result = dawid_skene(ratings_of(case), iterations=1000, tolerance=-1.0)
    # crowd-kit lifts probabilities to 1e-10 at the end.
    np.testing.assert_allclose(result.probabilities, case["dawid_skene"], atol=1.01e-10)


@pytest.mark.parametrize("case", CASES)
def test_mace_equals_crowd_kit_from_any_start(case):
    for seed in range(3):
        result = mace(ratings_of(case), np.random.default_rng(seed), restarts=2, iterations=300)
        np.testing.assert_allclose(result.posterior.probabilities, case["mace"], atol=1e-6)


@pytest.mark.parametrize("case", CASES)
def test_names_and_order_do_not_matter(case):
    ratings, order = shuffled_names(case, 1)
    first = dawid_skene(ratings_of(case)).probabilities
    np.testing.assert_allclose(dawid_skene(ratings).probabilities[order], first, atol=1e-9)
    result = mace(ratings, np.random.default_rng(0), iterations=300).posterior
    np.testing.assert_allclose(result.probabilities[order], case["mace"], atol=1e-6)


def test_mace_knows_the_spammer_and_the_seed_gives_it_again():
    ratings = ratings_of(CASES[2])
    first, second = (mace(ratings, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(first.posterior.probabilities, second.posterior.probabilities)
    assert first.competence[0] < 0.05 < first.competence[1:].min()
    assert first.log_likelihood < 0


def test_many_ratings_a_unit_do_not_underflow():
    table = np.random.default_rng(0).choice([1.0, 2.0, 3.0], (6, 900), p=[0.6, 0.2, 0.2])
    for result in (
        dawid_skene(Ratings.from_matrix(table)),
        mace(Ratings.from_matrix(table), np.random.default_rng(0), restarts=1).posterior,
    ):
        np.testing.assert_allclose(result.probabilities.sum(axis=1), 1.0)


def test_the_expected_value_and_the_label_of_a_posterior():
    posterior = Posterior(
        np.array([1.0, 4.0]), np.array([[0.25, 0.75], [0.5, 0.5], [np.nan, np.nan]])
    )
    np.testing.assert_allclose(posterior.expected, [3.25, 2.5, np.nan])
    np.testing.assert_array_equal(posterior.labels, [4.0, 1.0, np.nan])


def test_too_many_categories_are_refused():
    table = np.random.default_rng(0).random((2000, 4))
    with pytest.raises(RatingsError, match="use a mean instead"):
        dawid_skene(Ratings.from_matrix(table))


def test_no_start_is_refused():
    with pytest.raises(RatingsError, match="starts"):
        mace(Ratings.from_matrix([[1.0, 2.0]]), np.random.default_rng(0), restarts=0)
