"""Sample sizes by Student's t."""

from __future__ import annotations

import math

import scipy

TAIL = 0.025
"""What a 95% interval leaves out at each end."""
MAX_UNITS = 10**9


def upper_t(degrees: float, tail: float) -> float:
    """The value that Student's t exceeds with probability `tail` (below 0.5); infinite below one
    degree of freedom, the normal distribution's for infinite degrees."""
    if degrees < 1:
        return math.inf
    if math.isinf(degrees):
        return -float(scipy.special.ndtri(tail))
    return -float(scipy.special.stdtrit(degrees, tail))


def fewest_units(ratio: float, *tails: float) -> int | None:
    """The smallest n of 2 or more with sqrt(n) >= ratio * (sum of `upper_t(n - 1, tail)`).

    ratio: the standard deviation of one unit over the distance that n units must resolve. One tail
    of TAIL: n units whose mean has a 95% interval that reaches this far to each side. A second
    tail of 0.2: a two-sided test at 5% detects this distance with a power of 80%. None above
    MAX_UNITS.
    """
    # Student's quantiles are above those of the normal distribution and fall with n.
    least = (ratio * sum(upper_t(math.inf, tail) for tail in tails)) ** 2
    if not least <= MAX_UNITS:
        return None
    n = max(2, math.ceil(least * (1 - 1e-9)))
    while n * (1 + 1e-9) < (ratio * sum(upper_t(n - 1, tail) for tail in tails)) ** 2:
        n += 1
    return n
