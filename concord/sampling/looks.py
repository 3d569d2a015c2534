"""Intervals that stay valid when an estimate is looked at again and again.

Who stops as soon as a result looks good is right less often than one look's level says. The
permitted error is therefore spent over the looks: up to a share s of the planned ratings, no more
than s of it (Lan and DeMets 1983, Discrete sequential boundaries for clinical trials; of their
spending functions the linear one). Estimates at successive looks are taken as a Brownian motion
whose time is the share of the planned ratings.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import scipy

from concord.estimation.sample import EstimationError

GRID = 400
"""Points on which the density between two boundaries is computed."""


def look_levels(shares: Sequence[float], alpha: float = 0.05) -> list[float]:
    """The two-sided level of each look, so that all are right with a chance of 1 - alpha.

    shares: of the planned ratings, at each look, increasing, in (0, 1]. The interval at a look has
    the confidence 1 - level. Raises EstimationError for other shares. A look at a share of 1 has
    all of alpha; without looks before it, its level is alpha.
    """
    if not shares or not (np.diff([0.0, *shares]) > 0).all() or shares[-1] > 1 + 1e-9:
        raise EstimationError("looks need increasing shares of the planned ratings, up to 1")
    return list(_levels(tuple(round(float(share), 6) for share in shares), alpha))


@lru_cache(maxsize=10_000)
def _levels(shares: tuple[float, ...], alpha: float) -> tuple[float, ...]:
    """By recursion over the looks (Armitage, McPherson and Rowe 1969): the density of paths that
    crossed no boundary so far, on a grid."""
    if len(shares) == 1:
        return (alpha * shares[0],)
    return (*_levels(shares[:-1], alpha), 2 * float(scipy.stats.norm.sf(_boundary(shares, alpha))))


@lru_cache(maxsize=10_000)
def _boundary(shares: tuple[float, ...], alpha: float) -> float:
    """The critical value of the last look."""
    if len(shares) == 1:
        return float(scipy.stats.norm.isf(alpha * shares[0] / 2))
    points, mass = _inside(shares[:-1], alpha)
    step = np.sqrt(shares[-1] - shares[-2])
    spent = alpha * (shares[-1] - shares[-2])

    def crossing(boundary: float) -> float:
        height = boundary * np.sqrt(shares[-1])
        above = scipy.stats.norm.sf((height - points) / step)
        below = scipy.stats.norm.cdf((-height - points) / step)
        return float(mass @ (above + below)) - spent

    return float(scipy.optimize.brentq(crossing, 0.0, 20.0))


@lru_cache(maxsize=1_000)
def _inside(shares: tuple[float, ...], alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """(points, chance of being near each) of paths within all boundaries."""
    height = _boundary(shares, alpha) * np.sqrt(shares[-1])
    nodes, weights = _legendre()
    points = nodes * height
    if len(shares) == 1:
        density = scipy.stats.norm.pdf(points, scale=np.sqrt(shares[0]))
    else:
        before, mass = _inside(shares[:-1], alpha)
        step = np.sqrt(shares[-1] - shares[-2])
        density = scipy.stats.norm.pdf(points[:, None], before[None, :], step) @ mass
    return points, density * weights * height


@lru_cache(maxsize=1)
def _legendre() -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(GRID)
    return nodes, weights
