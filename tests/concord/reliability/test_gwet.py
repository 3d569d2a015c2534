"""Gwet's AC2: values of irrCAC 0.4.4, and what it is for."""

from __future__ import annotations

import numpy as np
import pytest

from concord.reliability import Ratings, RatingsError, alpha, gwet_ac2
from tests.concord.reliability.oracles import thumb_table

# irrCAC 0.4.4: CAC(table, weights=..., digits=12).gwet(), "identity" for nominal.
IRRCAC = {
    "nominal": -0.031954629032,
    "linear": -0.005337413419,
    "quadratic": 0.022975582144,
    "ordinal": 0.014969000888,
}
# The same of THumB's ratings of coherence.
IRRCAC_THUMB = {
    ("expert", "nominal"): 0.184641399263,
    ("expert", "linear"): 0.470903337603,
    ("expert", "quadratic"): 0.693010553865,
    ("expert", "ordinal"): 0.632133564614,
    ("turker", "nominal"): 0.579274612541,
    ("turker", "linear"): 0.740066965845,
    ("turker", "quadratic"): 0.844656475153,
    ("turker", "ordinal"): 0.817955480518,
}


def table():
    values = np.random.default_rng(1).integers(1, 6, (30, 4)).astype(float)
    values[3, 1] = np.nan
    values[7, :3] = np.nan
    return values


@pytest.mark.parametrize("weights", IRRCAC)
def test_values_are_those_of_irrcac(weights):
    result = gwet_ac2(Ratings.from_matrix(table()), weights)
    assert result.value == pytest.approx(IRRCAC[weights], abs=1e-11)


@pytest.mark.parametrize(("raters", "weights"), IRRCAC_THUMB)
def test_values_of_thumb_are_those_of_irrcac(concord_data, raters, weights):
    ratings = Ratings.from_matrix(thumb_table(concord_data, raters, "coherence").astype(float))
    expected = IRRCAC_THUMB[raters, weights]
    assert gwet_ac2(ratings, weights).value == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("weights", IRRCAC)
def test_full_agreement_is_1(weights):
    rows = np.repeat(np.arange(1.0, 6)[:, None], 3, axis=1)
    assert gwet_ac2(Ratings.from_matrix(rows), weights).value == pytest.approx(1)


def test_agreement_on_skewed_ratings_is_seen():
    """98% of the pairs are equal, almost all of them 5: alpha says chance, AC2 does not."""
    rows = np.full((100, 2), 5.0)
    rows[0, 0] = rows[1, 1] = 1.0
    ratings = Ratings.from_matrix(rows)
    assert alpha(ratings, "ordinal").value < 0.05
    assert gwet_ac2(ratings).value > 0.95


def test_the_order_of_raters_does_not_matter():
    values = table()
    first, second = (gwet_ac2(Ratings.from_matrix(each)) for each in (values, values[:, ::-1]))
    assert first.value == pytest.approx(second.value, abs=1e-12)


def test_undefined_cases_have_a_reason():
    assert "two ratings" in gwet_ac2(Ratings.from_matrix([[1, np.nan], [np.nan, 2]])).reason
    assert "equal" in gwet_ac2(Ratings.from_matrix([[1, 1], [1, 1]])).reason
    with pytest.raises(RatingsError, match="choose one of nominal"):
        gwet_ac2(Ratings.from_matrix([[1, 2]]), "cubic")


def test_values_of_the_scale_that_nobody_gave_count():
    """By hand: the values 2 and 4 of a scale of 1 to 5, with linear weights 1 - |difference| / 4.

    pa: of three units 1, 0.5 and 1, so 5/6. p: 2 is a half and 4 is a half, so the sum of p (1 - p)
    is 1/2. The 25 weights sum to 5 + 2 (4 * 3/4 + 3 * 2/4 + 2 * 1/4) = 15; pe = 15 / 20 / 2 = 3/8.
    """
    ratings = Ratings.from_matrix([[2, 2], [2, 4], [4, 4]])
    expected = (5 / 6 - 3 / 8) / (1 - 3 / 8)
    assert gwet_ac2(ratings, "linear", scale=(1, 5)).value == pytest.approx(expected)
    assert gwet_ac2(ratings, "linear", scale=(2, 4)).value != pytest.approx(expected)
    # All values occur, so the scale says nothing new.
    table = Ratings.from_matrix([[1, 2], [3, 4], [5, 5]])
    assert gwet_ac2(table, scale=(1, 5)).value == gwet_ac2(table).value
    halves = Ratings.from_matrix([[1.5, 2.5], [2.5, 2.5]])
    assert gwet_ac2(halves, "linear", scale=(1, 5)).value is not None
