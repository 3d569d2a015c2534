"""Figures do not change with the unit and the origin of the ratings, nor with what else their
definition allows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.aggregation.means import zscore_mean
from concord.filtering import correlation_with_others, mean_abs_z
from concord.reliability import (
    Ratings,
    alpha,
    alpha_of_other_raters,
    gwet_ac2,
    halo,
    intraclass_correlation,
    mean_weighted_kappa,
)
from concord.reliability.coincidences import count_coincidences
from concord.reliability.krippendorff import coincidence_alpha
from tests.concord.reliability.oracles import tables

# By name, and whether they depend on the order of values only.
FIGURES = {
    "alpha, nominal": (lambda r: alpha(r, "nominal").value, True),
    "alpha, ordinal": (lambda r: alpha(r).value, True),
    "alpha, interval": (lambda r: alpha(r, "interval").value, False),
    "our own alpha": (lambda r: coincidence_alpha(count_coincidences(r), "interval"), False),
    "alpha of other raters": (lambda r: alpha_of_other_raters(r, "interval").ci, False),
    "interval of alpha": (lambda r: alpha(r, "interval", draws=20).ci, False),
    "ICC": (lambda r: intraclass_correlation(r).value, False),
    "ICC of means": (lambda r: intraclass_correlation(r, "mean").value, False),
    "kappa, linear": (lambda r: mean_weighted_kappa(r, "linear").value, False),
    "kappa, quadratic": (lambda r: mean_weighted_kappa(r).value, False),
    "kappa, nominal": (lambda r: mean_weighted_kappa(r, "nominal").value, True),
    "AC2, ordinal": (lambda r: gwet_ac2(r).value, True),
    "AC2, quadratic": (lambda r: gwet_ac2(r, "quadratic").value, False),
    "halo": (lambda r: halo(r, other(r), draws=20).between.value, False),
    "interval of halo": (lambda r: halo(r, other(r), draws=20).excess.ci, False),
    "mean |z|": (mean_abs_z, False),
    "correlation with others": (correlation_with_others, False),
}
SCALES = st.sampled_from([1e-9, 1e-3, 1 / 3, 7.0, 1e6])
ORIGINS = st.sampled_from([-1.0, 0.0, 0.5, 1e4])


def other(ratings: Ratings) -> Ratings:
    """Ratings on another question by the same raters, in the same units."""
    turned = ratings.values[0] + (ratings.values - ratings.values[0]) * (
        1 - 2 * ((ratings.units + ratings.raters) % 3 == 0)
    )
    return Ratings(ratings.units, ratings.raters, turned, ratings.clusters)


def close(first, second) -> bool:
    """Whether two figures are equal, or both undefined."""
    if first is None or second is None:
        return first is second
    return np.allclose(first, second, rtol=1e-6, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("name", FIGURES)
@given(table=tables(), scale=SCALES, origin=ORIGINS)
def test_a_figure_is_the_same_in_another_unit_from_another_origin(name, table, scale, origin):
    figure, _ = FIGURES[name]
    if np.isnan(table).all():
        return
    moved = scale * (table + origin)
    assert close(figure(Ratings.from_matrix(table)), figure(Ratings.from_matrix(moved)))


@pytest.mark.parametrize("name", [name for name, (_, of_order) in FIGURES.items() if of_order])
@given(table=tables())
def test_a_figure_of_order_is_the_same_after_a_monotone_change(name, table):
    figure, _ = FIGURES[name]
    assert close(figure(Ratings.from_matrix(table)), figure(Ratings.from_matrix(np.exp(table))))


@given(table=tables(), scale=SCALES, origin=ORIGINS)
def test_gold_scores_move_with_the_scale(table, scale, origin):
    moved = zscore_mean(Ratings.from_matrix(scale * (table + origin)))
    expected = scale * (zscore_mean(Ratings.from_matrix(table)) + origin)
    np.testing.assert_allclose(moved, expected, atol=1e-6 * scale, rtol=1e-9)


@pytest.mark.parametrize("near", [1e-6, 1.0, 1e8 + 0.1])
def test_halo_of_constant_ratings_is_undefined_near_any_number(near):
    constant = Ratings.from_matrix(np.full((12, 3), near))
    varied = Ratings.from_matrix(np.random.default_rng(1).normal(size=(12, 3)))
    assert halo(constant, varied, draws=10).within.value is None


def test_halo_of_ratings_near_1e_6_is_that_of_the_same_ratings_near_1():
    x, y = np.random.default_rng(1).normal(size=(2, 30, 3))
    small, large = (
        halo(Ratings.from_matrix(x * unit), Ratings.from_matrix(y * unit), draws=10).within.value
        for unit in (1e-7, 1.0)
    )
    assert small == pytest.approx(large)
