"""Intervals from leaving out clusters (jackknife) of two crossed kinds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concord.inference.estimate import Estimate, Scale
from concord.inference.resampling import MIN_DEFINED, scaled_interval, too_few_clusters
from concord.inference.tails import t_quantile

Floats = NDArray[np.float64]
MIN_RATERS = 3
"""With fewer raters nothing can be said about other raters."""


def left_out_estimate(
    value: float,
    without: tuple[Floats, Floats, Floats],
    scale: Scale,
    *,
    unit: str = "passages",
) -> Estimate:
    """A statistic with an interval for other passages and other raters, by leaving out each.

    without: the statistic without each passage, without each rater, and without each cell: what one
    rater said about one passage; NaN where it is undefined. The variance by each of them
    is (G - 1) / G times the sum of squared deviations from their mean (Efron and Stein 1981). That
    by cells is in the other two, so it is subtracted from their sum, which is then at least the
    larger of the two (Cameron, Gelbach and Miller 2011). The interval takes Student's t, with
    Satterthwaite's degrees of freedom, on the transformed scale of the statistic.

    With fewer than MIN_RATERS raters it is an interval for these raters on other passages. No
    interval, with a reason, for fewer than MIN_CLUSTERS passages, where leaving out leaves the
    statistic undefined in more than one of ten cases, and where it changes nothing. unit: the
    plural name of the passages.
    """
    by_passages, by_raters, by_cells = map(_variance, without)
    kinds, over, variance = [without[0]], unit, by_passages
    if len(without[1]) >= MIN_RATERS:
        kinds, over = [without[0], without[1]], f"{unit} and raters"
        variance = max(by_passages + by_raters - by_cells, by_passages, by_raters)
    clusters = len(without[0])
    reason = too_few_clusters(clusters, unit)
    if not reason and any(np.mean(np.isnan(kind)) > 1 - MIN_DEFINED for kind in kinds):
        reason = f"the figure is undefined without some of the {over}"
    if not reason and variance <= 1e-24 * max(1.0, value * value):
        reason = f"the figure is the same without each of the {over}"
    if reason:
        return Estimate(value, clusters=clusters, unit=unit, over=over, reason=reason)
    parts = [(_variance(kind), np.count_nonzero(~np.isnan(kind)) - 1) for kind in kinds]
    degrees = sum(part for part, _ in parts) ** 2 / sum(part**2 / df for part, df in parts)
    half = t_quantile(0.975, degrees) * float(np.sqrt(variance))
    low, high = scaled_interval(value, half, scale)
    return Estimate(value, low, high, clusters=clusters, unit=unit, over=over)


def _variance(without: Floats) -> float:
    """The jackknife's variance from the defined values; 0 for fewer than two."""
    defined = without[~np.isnan(without)]
    if len(defined) < 2:
        return 0.0
    return float((len(defined) - 1) * np.var(defined))
