"""The value of alpha is the package's, and our own equals it."""

from __future__ import annotations

import sys

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.reliability import LEVELS, Ratings, alpha
from concord.reliability.coincidences import count_coincidences
from concord.reliability.krippendorff import coincidence_alpha


def made(seed: int, units: int, raters: int, points: int, missing: float) -> Ratings:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, points + 1, (units, raters)).astype(float)
    matrix[rng.random(matrix.shape) < missing] = np.nan
    return Ratings.from_matrix(matrix)


def own(ratings: Ratings, level: str = "ordinal") -> float:
    return coincidence_alpha(count_coincidences(ratings), level)


@given(
    st.integers(0, 10_000),
    st.integers(2, 40),
    st.integers(2, 8),
    st.integers(2, 11),
    st.sampled_from((0.0, 0.3, 0.6)),
    st.sampled_from(LEVELS),
)
def test_our_own_alpha_equals_the_packages(seed, units, raters, points, missing, level):
    ratings = made(seed, units, raters, points, missing)
    result = alpha(ratings, level)
    assert bool(result.reason) == (result.value is None)
    expected = np.nan if result.value is None else result.value
    assert own(ratings, level) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_the_package_computes_what_is_reported(monkeypatch):
    monkeypatch.setattr(krippendorff, "alpha", lambda **_: 0.125)
    assert alpha(made(1, 20, 4, 5, 0.0)).value == 0.125


def test_without_the_package_the_value_is_our_own(monkeypatch):
    ratings = made(2, 30, 5, 5, 0.2)
    monkeypatch.setitem(sys.modules, "krippendorff", None)
    assert alpha(ratings).value == pytest.approx(own(ratings), abs=1e-12)


def test_many_distinct_values_are_computed_without_the_package(monkeypatch):
    monkeypatch.setattr(krippendorff, "alpha", lambda **_: pytest.fail("too large for it"))
    values = np.random.default_rng(3).normal(size=(600, 3))
    ratings = Ratings.from_matrix(values)
    assert alpha(ratings, "interval").value == pytest.approx(own(ratings, "interval"), abs=1e-12)
