"""Errors of a metric's estimates of systems: RMSE with sigma, and Kendall's tau."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from concord.arrays import Floats
from concord.inference import Estimate

MIN_SYSTEMS = 2


@dataclass(frozen=True, slots=True)
class SystemErrors:
    """Errors of a metric's estimates of systems.

    rmse: root mean square over systems of estimate - people's value, 0 is best. sigma: population
    standard deviation of the absolute errors. kendall: tau-b of the two rankings, with its p.
    """

    rmse: Estimate
    kendall: Estimate
    sigma: float | None = None


def system_errors(estimated: Floats, people: Floats) -> SystemErrors:
    """Errors of estimates, compared with people's values; both (S,), NaN where a system has none.

    AVA (section 6.2) prints RMSE ± sigma and does not say what sigma is; the standard deviation of
    the absolute errors, divided by S, gives Table 5's from Table 7's TREC-QA systems (0.041 ±
    0.029, 0.020 ± 0.012). tau-b is scipy's kendalltau, as there, exact for small numbers of
    systems. Undefined for fewer than two systems, tau for fewer than three.
    """
    if estimated.shape != people.shape or estimated.ndim != 1:
        raise ValueError(f"estimated {estimated.shape} and people {people.shape} must match")
    has_both = np.isfinite(estimated) & np.isfinite(people)
    count = int(np.count_nonzero(has_both))
    if count < MIN_SYSTEMS:
        reason = f"too few judged systems: {count} ({MIN_SYSTEMS} are needed)"
        undefined = Estimate(None, reason=reason)
        return SystemErrors(rmse=undefined, kendall=undefined)
    a, h = estimated[has_both], people[has_both]
    errors = np.abs(a - h)
    return SystemErrors(
        rmse=Estimate(float(np.sqrt(np.mean(errors**2)))),
        kendall=_ranking(a, h),
        sigma=float(errors.std()),
    )


def _ranking(a: Floats, h: Floats) -> Estimate:
    """tau-b of few systems, without an interval."""
    if len(a) < 3:
        return Estimate(None, reason=f"too few systems to rank: {len(a)} (3 are needed)")
    if np.ptp(a) == 0:
        return Estimate(None, reason="the metric finds all systems equal")
    if np.ptp(h) == 0:
        return Estimate(None, reason="people find all systems equal")
    tau = scipy.stats.kendalltau(a, h)
    return Estimate(float(tau.statistic), p=float(tau.pvalue), n=len(a))
