"""Student's t: quantiles and tail probabilities.

The figures are those of `scipy.stats.t`, bit by bit, for shares above 0. A call takes 3 µs instead
of 100, and does not import scipy.stats, which takes a second. A plan calls them 40,000 times.
"""

from __future__ import annotations

import scipy


def t_quantile(share: float, degrees: float) -> float:
    """The value that T exceeds with probability 1 - share, of (0, 1). NaN for degrees <= 0."""
    return float(scipy.special.stdtrit(degrees, share))


def t_above(t: float, degrees: float) -> float:
    """P(T > t). NaN for a NaN and for degrees <= 0."""
    return float(scipy.special.stdtr(degrees, -t))


def two_sided_p(t: float, degrees: float) -> float:
    """P(|T| > |t|): the p-value of H0 "the mean is 0" for a mean over its standard error."""
    return 2 * t_above(abs(t), degrees)
