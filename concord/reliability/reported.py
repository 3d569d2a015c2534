"""Krippendorff's alpha for reports, computed by the package `krippendorff`."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from concord.reliability.krippendorff import Alpha, Level, alpha
from concord.reliability.ratings import Ratings

# The package builds a table of units by distinct values and one of values by values. Beyond these
# bounds (continuous ratings) it would use too much memory.
MAX_CELLS = 5_000_000
MAX_VALUES = 1_000


def reported_alpha(ratings: Ratings, level: Level = "ordinal") -> Alpha:
    """Krippendorff's alpha, computed by the package `krippendorff` where it is installed.

    Otherwise, and for more than MAX_VALUES distinct values or MAX_CELLS cells of units by values,
    the value is that of `alpha`. The two agree to 1e-12. Undefined alphas and their reasons are
    those of `alpha`. Raises RatingsError for an unknown level.
    """
    own_alpha = alpha(ratings, level)
    package = _package()
    if own_alpha.value is None or package is None:
        return own_alpha
    values, codes = np.unique(ratings.values, return_inverse=True)
    if len(values) > MAX_VALUES or ratings.n_units * len(values) > MAX_CELLS:
        return own_alpha
    counts = np.zeros((ratings.n_units, len(values)), dtype=np.int64)
    np.add.at(counts, (ratings.units, codes), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # 0 / 0 of units with one rating
        value = package.alpha(value_counts=counts, value_domain=values, level_of_measurement=level)
    return replace(own_alpha, value=float(value))


def _package() -> Any | None:
    """The package, or None. It is optional because of its licence (GPL-3)."""
    try:
        import krippendorff
    except ImportError:
        return None
    return krippendorff
