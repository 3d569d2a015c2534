"""Levels of a group sequential design: intervals that stay valid over repeated looks.

If sampling may stop at any look, intervals with the confidence of a single look cover too rarely.
The total error alpha is therefore spent over the looks with the linear spending function: at most s
alpha until a share s of the planned ratings (Lan and DeMets 1983, Discrete sequential boundaries
for clinical trials). The correlation of the estimates at successive looks follows from their
information: they are modelled as a Brownian motion with the information as its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import scipy

from concord.arrays import Floats
from concord.estimation.sample import EstimationError

GRID = 200
"""Number of points at which the density between the boundaries is computed."""


def look_levels(
    shares: Sequence[float], alpha: float = 0.05, information: Sequence[float] | None = None
) -> list[float]:
    """The two-sided level of each look, such that all intervals cover with probability 1 - alpha.

    shares: the share of the planned ratings at each look, increasing, in (0, 1]. information: the
    inverse variance of the estimate at each look, increasing, in any scale; proportional to the
    shares by default. The interval at a look has confidence 1 - level. At a share of 1 all of alpha
    is spent; a single look at a share of 1 has the level alpha. Raises EstimationError for other
    shares or information.
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
    ends = range(1, len(looks) + 1)
    return [2 * float(scipy.special.ndtr(-_boundary(looks[:end], alpha))) for end in ends]


def _increases(values: Sequence[float]) -> bool:
    return bool((np.diff([0.0, *values]) > 0).all())


# (share, information) of each look; the first has information 1.
Looks = tuple[tuple[float, float], ...]


@lru_cache(maxsize=10_000)
def _boundary(looks: Looks, alpha: float) -> float:
    """The critical value of the last look.

    By recursion over the looks (Armitage, McPherson and Rowe 1969): the density of the paths that
    have crossed no earlier boundary is integrated on a grid.
    """
    share, time = looks[-1]
    if len(looks) == 1:
        return -float(scipy.special.ndtri(alpha * share / 2))
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
def _inside(looks: Looks, alpha: float) -> tuple[Floats, Floats]:
    """(points, probability mass at each) of the paths that stayed within all boundaries."""
    time = looks[-1][1]
    height = _boundary(looks, alpha) * np.sqrt(time)
    nodes, weights = np.polynomial.legendre.leggauss(GRID)
    points = nodes * height
    if len(looks) == 1:
        density = np.exp(-(points**2) / 2) / np.sqrt(2 * np.pi)
    else:
        before, mass = _inside(looks[:-1], alpha)
        step = np.sqrt(max(time - looks[-2][1], 1e-3 * time))
        gaps = (points[:, None] - before[None, :]) / step
        density = np.exp(-(gaps**2) / 2) @ mass / (step * np.sqrt(2 * np.pi))
    return points, density * weights * height
