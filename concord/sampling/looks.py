"""Intervals that stay valid when an estimate is looked at again and again.

Who stops as soon as a result looks good is right less often than one look's level says. The
permitted error is therefore spent over the looks: up to a share s of the planned ratings, no more
than s of it (Lan and DeMets 1983, Discrete sequential boundaries for clinical trials; of their
spending functions the linear one). How much successive looks hang together follows from their
information: estimates are taken as a Brownian motion whose time is the information.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.estimation.sample import EstimationError

GRID = 200
"""Points on which the density between two boundaries is computed."""


def look_levels(
    shares: Sequence[float], alpha: float = 0.05, information: Sequence[float] | None = None
) -> list[float]:
    """The two-sided level of each look, so that all are right with a chance of 1 - alpha.

    shares: of the planned ratings, at each look, increasing, in (0, 1]. information: of each look's
    estimate, the inverse of its variance, in any scale, increasing; proportional to the shares by
    default. The interval at a look has the confidence 1 - level. Raises EstimationError for other
    shares or information. A look at a share of 1 has all of alpha; without looks before it, its
    level is alpha.
    """
    if not shares or not _increases(shares) or shares[-1] > 1 + 1e-9:
        raise EstimationError("looks need increasing shares of the planned ratings, up to 1")
    times = list(shares if information is None else information)
    if len(times) != len(shares) or not _increases(times):
        raise EstimationError("looks need increasing information, as many values as shares")
    looks = tuple(
        (round(float(share), 6), float(f"{time / times[0]:.4g}"))
        for share, time in zip(shares, times, strict=True)
    )
    return [_level(looks[:end], alpha) for end in range(1, len(looks) + 1)]


def _increases(values: Sequence[float]) -> bool:
    return bool((np.diff([0.0, *values]) > 0).all())


# (share, information) of each look; the first has information 1.
Looks = tuple[tuple[float, float], ...]


def _level(looks: Looks, alpha: float) -> float:
    return 2 * float(scipy.stats.norm.sf(_boundary(looks, alpha)))


@lru_cache(maxsize=10_000)
def _boundary(looks: Looks, alpha: float) -> float:
    """The critical value of the last look, by recursion over the looks (Armitage, McPherson and
    Rowe 1969): the density of paths that crossed no boundary so far, on a grid."""
    share, time = looks[-1]
    if len(looks) == 1:
        return float(scipy.stats.norm.isf(alpha * share / 2))
    points, mass = _inside(looks[:-1], alpha)
    before, time_before = looks[-2]
    step = np.sqrt(max(time - time_before, 1e-3 * time))
    spent = alpha * (share - before)

    def crossing(boundary: float) -> float:
        height = boundary * np.sqrt(time)
        above = scipy.special.ndtr((points - height) / step)
        below = scipy.special.ndtr((-height - points) / step)
        return float(mass @ (above + below)) - spent

    return float(scipy.optimize.brentq(crossing, 0.0, 20.0, xtol=1e-9))


@lru_cache(maxsize=1_000)
def _inside(looks: Looks, alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(points, chance of being near each) of paths within all boundaries."""
    time = looks[-1][1]
    height = _boundary(looks, alpha) * np.sqrt(time)
    nodes, weights = _legendre()
    points = nodes * height
    if len(looks) == 1:
        density = np.exp(-(points**2) / 2) / np.sqrt(2 * np.pi)
    else:
        before, mass = _inside(looks[:-1], alpha)
        step = np.sqrt(max(time - looks[-2][1], 1e-3 * time))
        gaps = (points[:, None] - before[None, :]) / step
        density = np.exp(-(gaps**2) / 2) @ mass / (step * np.sqrt(2 * np.pi))
    return points, density * weights * height


@lru_cache(maxsize=1)
def _legendre() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    nodes, weights = np.polynomial.legendre.leggauss(GRID)
    return nodes, weights
