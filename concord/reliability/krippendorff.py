"""Krippendorff's alpha: nominal, ordinal, interval and ratio, with missing ratings.

1 is perfect agreement, 0 what chance would give, below 0 systematic disagreement. A unit takes
part when it has two ratings or more. Equal to the package `krippendorff` (0.9.0) wherever both
are defined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.reliability.coincidences import Coincidences, coincidences
from concord.reliability.ratings import Ratings, RatingsError

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)
# Cells of the largest array made at a time, 4 MB of float64: arrays of this size stay in a
# processor's cache and are used again, where larger ones cost more to get than to fill.
BLOCK_CELLS = 500_000


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha of some ratings.

    value: at most 1, or None where it is undefined; `reason` then says why.
    units: units with two ratings or more; ratings: the ratings in them.
    """

    value: float | None
    level: Level
    units: int
    ratings: int
    reason: str | None = None

    @property
    def raters_per_unit(self) -> float | None:
        """Mean ratings of the units that take part; None without any."""
        return self.ratings / self.units if self.units else None


def alpha(ratings: Ratings, level: Level = "ordinal") -> Alpha:
    """Krippendorff's alpha at a level of measurement.

    Undefined, with a reason, for fewer than two units with two ratings, where those ratings do
    not vary, and at the ratio level for negative values. Raises RatingsError for an unknown level.
    """
    return alpha_of(coincidences(ratings), level)


def alpha_of(found: Coincidences, level: Level) -> Alpha:
    """Alpha over all groups of `found` together."""
    check_level(level)
    margins = totals(found.margins)
    units, n = int(found.units.sum()), int(margins.sum())
    reason = why_undefined(found, margins, level)
    if reason is not None:
        return Alpha(None, level, units, n, reason)
    meetings = totals(found.meetings)
    value = alphas(found, margins[None, :], meetings[None, :], level)[0]
    return Alpha(float(value), level, units, n)


def check_level(level: str) -> None:
    if level not in LEVELS:
        raise RatingsError(f"the level '{level}' is none of {', '.join(LEVELS)}")


def why_undefined(found: Coincidences, margins: NDArray[np.float64], level: Level) -> str | None:
    """Why alpha is undefined where these values were given so often; None where it is not."""
    units = int(found.units.sum())
    given = found.values[margins > 0]
    if units < 2:
        has = ("no unit has", "only one unit has")[units]
        return f"{has} two ratings or more; alpha needs two such units"
    if level == "ratio" and given[0] < 0:
        return f"the ratio level needs values of zero or more; the smallest is {given[0]:g}"
    if len(given) == 1:
        return f"every rating is {given[0]:g}; alpha is undefined where nothing varies"
    return None


def alphas(
    found: Coincidences, margins: NDArray[np.float64], meetings: NDArray[np.float64], level: Level
) -> NDArray[np.float64]:
    """Alpha of B tables, margins (B, V) and meetings (B, Q): shape (B,), NaN where undefined.

    The ordinal distance of two values is the squared difference of their mid-ranks, and ranks
    are those of each table's own margins (Krippendorff 2011: d_ck = (sum of n_g from g = c to k
    less (n_c + n_k) / 2) squared), so it too is found for each table separately.
    """
    low, high = found.pairs.T
    n = margins.sum(axis=1)
    if level == "nominal":
        observed = meetings.sum(axis=1)
        expected = n * n - (margins * margins).sum(axis=1)
    elif level == "ratio":
        observed = meetings @ _ratio(found.values[low], found.values[high])
        expected = _expected_ratio(found.values, margins)
    else:
        at = _places(found.values, margins, level)
        observed = (meetings * (at[:, high] - at[:, low]) ** 2).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = (margins * at).sum(axis=1) / n
        # Twice n times the squared deviations from the mean: what sum_ck n_c n_k d_ck comes to.
        expected = 2.0 * n * (margins * (at - mean[:, None]) ** 2).sum(axis=1)
    varied = np.count_nonzero(margins, axis=1) >= 2
    result = np.full(len(margins), np.nan)
    np.divide((n - 1) * observed, expected, out=result, where=varied)
    return 1.0 - result


def _places(
    values: NDArray[np.float64], margins: NDArray[np.float64], level: Level
) -> NDArray[np.float64]:
    """Where each value lies on the line, shape (B, V) or (1, V): mid-ranks, or the values."""
    if level == "ordinal":
        return np.cumsum(margins, axis=1) - margins / 2
    # Alpha does not see a shift or a change of unit; without them squares could overflow.
    centred = values - values[0] / 2 - values[-1] / 2
    scaled = centred / max(np.abs(centred).max(), np.finfo(np.float64).tiny)
    return np.asarray(scaled[None, :])


def _ratio(c: NDArray[np.float64], k: NDArray[np.float64]) -> NDArray[np.float64]:
    """((c - k) / (c + k)) squared, and 0 where both are zero."""
    total = c + k
    return np.asarray(np.divide(c - k, total, out=np.zeros_like(total), where=total != 0) ** 2)


def _expected_ratio(
    values: NDArray[np.float64], margins: NDArray[np.float64]
) -> NDArray[np.float64]:
    """sum_ck n_c n_k d_ck of each table, some values c at a time."""
    found = np.zeros(len(margins))
    step = max(1, BLOCK_CELLS // len(values))
    for start in range(0, len(values), step):
        some = slice(start, start + step)
        distances = _ratio(values[some, None], values[None, :])
        found += ((margins @ distances.T) * margins[:, some]).sum(axis=1)
    return found


def weighted_alphas(
    found: Coincidences, weights: NDArray[np.float64], level: Level
) -> NDArray[np.float64]:
    """Alpha of each weighting of the groups, weights (B, G): shape (B,), NaN where undefined."""
    margins, meetings = _columns(found.margins), _columns(found.meetings)
    across = np.ascontiguousarray(weights.T)
    return alphas(found, (margins @ across).T, (meetings @ across).T, level)


def block_size(found: Coincidences, groups: int) -> int:
    """How many tables may be worked on at a time."""
    return max(1, BLOCK_CELLS // max(1, len(found.values) + len(found.pairs) + groups))


def totals(table: scipy.sparse.csr_array) -> NDArray[np.float64]:
    """The sums of a table's columns."""
    return np.asarray(table.sum(axis=0), dtype=np.float64)


def _columns(table: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    return scipy.sparse.csr_array(table.T)
