"""When a collection ends if its pace stays the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

CONFIDENCE = 0.95
MIN_INTERVALS = 3


@dataclass(frozen=True, slots=True)
class RemainingTime:
    """The expected time until the end and its 95% prediction interval, in intervals."""

    expected: float
    low: float
    high: float


def remaining_time(counts: Sequence[float], remaining: float) -> RemainingTime | None:
    """The time until `remaining` more events, from the numbers of events in equal intervals.

    The events are taken as a Poisson process. The time until r more events, given n in T intervals,
    is then T r / n times a variable with the F distribution of 2r and 2n degrees of freedom.
    Workers come and go, so that counts vary more than Poisson counts do: both degrees are divided
    by the dispersion (variance over mean) of the counts, if it is above 1 and there are at least
    MIN_INTERVALS.

    None if there were no events, or if none remain.
    """
    n = float(sum(counts))
    if n <= 0 or remaining <= 0:
        return None
    dispersion = 1.0
    if len(counts) >= MIN_INTERVALS:
        dispersion = max(1.0, float(np.var(counts, ddof=1) / np.mean(counts)))
    expected = len(counts) * remaining / n
    tail = (1 - CONFIDENCE) / 2
    low, high = scipy.special.fdtri(
        2 * remaining / dispersion, 2 * n / dispersion, [tail, 1 - tail]
    )
    return RemainingTime(expected, expected * float(low), expected * float(high))
