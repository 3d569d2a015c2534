"""Intervals from leaving out clusters (jackknife) of two crossed kinds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from concord.arrays import Floats, Integers
from concord.inference.estimate import Estimate, Scale
from concord.inference.resampling import (
    MIN_CLUSTERS,
    MIN_DEFINED,
    scaled_interval,
    too_few_clusters,
)
from concord.inference.tails import t_quantile
from concord.inference.two_way import MIN_RATERS


def left_out_estimate(
    value: float,
    without: tuple[Floats, Floats, Floats],
    scale: Scale,
    *,
    unit: str = "passages",
    min_raters: int = MIN_RATERS,
) -> Estimate:
    """A statistic with an interval for other passages and other raters, by leaving out each.

    without: the statistic without each passage, without each rater, and without each cell: what one
    rater said about one passage; NaN where it is undefined. The variance by each of them is
    (G - 1) / G times the sum of squared deviations from their mean (Efron and Stein 1981). That by
    raters contains that by cells, which is in that by passages too, so that raters add the
    difference (Cameron, Gelbach and Miller 2011). The squared half widths of both, with Student's t
    of their degrees of freedom, are added (Zou and Donner 2008); the half width is at least that by
    raters alone. The interval is symmetric on the transformed scale of the statistic.

    With fewer than `min_raters` raters it is an interval for these raters on other passages. With
    fewer than MIN_CLUSTERS passages, but as many raters, it is one for other raters on these
    passages. No interval, with a reason, for fewer of both, where leaving out leaves the statistic
    undefined in more than one of ten cases, and where it changes nothing. unit: the plural name of
    the passages.
    """
    passages, raters, cells = without
    clusters, over = len(passages), unit
    squared = _squared_half(passages, _variance(passages))
    if clusters < MIN_CLUSTERS <= len(raters):
        clusters, unit, over = len(raters), "raters", "raters"
        squared = _squared_half(raters, _variance(raters))
    elif len(raters) >= min_raters:
        over = f"{unit} and raters"
        added = max(0.0, _variance(raters) - _variance(cells))
        alone = _squared_half(raters, _variance(raters))
        squared = max(squared + _squared_half(raters, added), alone)
    reason = too_few_clusters(clusters, unit)
    if not reason and np.isnan(squared):
        reason = f"the figure is undefined without some of the {over}"
    if not reason and squared <= 1e-24 * max(1.0, value * value):
        reason = f"the figure is the same without each of the {over}"
    if reason:
        return Estimate(value, clusters=clusters, unit=unit, over=over, reason=reason)
    low, high = scaled_interval(value, math.sqrt(squared), scale)
    return Estimate(value, low, high, clusters=clusters, unit=unit, over=over)


def left_out_of(
    without: Callable[[Integers], Floats], passages: Integers, raters: Integers
) -> tuple[Floats, Floats, Floats]:
    """What `left_out_estimate` takes, from the codes of passages and raters of the same items, and
    the statistic without the items of each code."""
    return without(passages), without(raters), without(raters * (passages.max() + 1) + passages)


def _squared_half(without: Floats, variance: float) -> float:
    """NaN where more than one of ten are undefined."""
    defined = int(np.count_nonzero(~np.isnan(without)))
    if defined < MIN_DEFINED * len(without):
        return math.nan
    return t_quantile(0.975, defined - 1) ** 2 * variance


def _variance(without: Floats) -> float:
    """The jackknife's variance from the defined values; 0 for fewer than two."""
    defined = without[~np.isnan(without)]
    if len(defined) < 2:
        return 0.0
    return float((len(defined) - 1) * np.var(defined))
