"""Student's t against scipy.stats, by its tails."""

from __future__ import annotations

import math

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from concord.inference import t_above, t_quantile, two_sided_p

DEGREES = st.floats(0.5, 1e7) | st.integers(1, 1000)


@given(share=st.floats(1e-12, 1 - 1e-12), degrees=DEGREES)
def test_quantiles_are_those_of_scipy_stats(share, degrees):
    assert t_quantile(share, degrees) == scipy.stats.t.ppf(share, degrees)


@given(t=st.floats(allow_nan=False), degrees=DEGREES)
def test_tails_are_those_of_scipy_stats(t, degrees):
    assert t_above(t, degrees) == scipy.stats.t.sf(t, degrees)
    assert two_sided_p(t, degrees) == 2 * scipy.stats.t.sf(abs(t), degrees)


@pytest.mark.parametrize("degrees", [0, -1, math.nan])
def test_without_degrees_of_freedom_they_are_undefined(degrees):
    assert math.isnan(t_quantile(0.975, degrees))
    assert math.isnan(t_above(2.0, degrees))
