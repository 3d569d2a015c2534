"""Weighted overlap of two sequences of units: the sums in KPQA's equations (1) to (5)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]


def clipped_overlap(candidate: Sequence[str], weights: Weights, reference: Sequence[str]) -> float:
    """The weight of the candidate's units that the reference holds, each of its once.

    A unit that occurs k times in the reference matches at most k of the candidate's, the
    heaviest ones.
    """
    available = Counter(reference)
    found: defaultdict[str, list[float]] = defaultdict(list)
    for unit, weight in zip(candidate, weights.tolist(), strict=True):
        if unit in available:
            found[unit].append(weight)
    return math.fsum(
        math.fsum(sorted(occurrences, reverse=True)[: available[unit]])
        for unit, occurrences in found.items()
    )


def literal_overlap(candidate: Sequence[str], weights: Weights, reference: Sequence[str]) -> float:
    """The double sum of equation (1) as printed: every pair of equal units counts."""
    available = Counter(reference)
    return math.fsum(
        weight * available[unit] for unit, weight in zip(candidate, weights.tolist(), strict=True)
    )


def heaviest_common_subsequence(
    one: Sequence[str], weights: Weights, other: Sequence[str]
) -> float:
    """The largest weight a common subsequence can have, by the weights of the first sequence.

    Weights must not be negative. Among all common subsequences the maximum is taken, not only
    among the longest ones, so that repeated units cannot make it depend on the order they are
    met in. Takes O(len(one)) vector operations of length len(other).
    """
    if len(one) == 0 or len(other) == 0:
        return 0.0
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, unit in enumerate(other):
        places[unit].append(place)
    # best[j + 1]: the heaviest common subsequence of the units met so far and other[: j + 1].
    best = np.zeros(len(other) + 1)
    for unit, weight in zip(one, weights.tolist(), strict=True):
        if unit in places:
            at = np.array(places[unit])
            step = best.copy()
            step[at + 1] = np.maximum(step[at + 1], best[at] + weight)
            best = np.maximum.accumulate(step)
    return float(best[-1])


def f_measure(precision: float, recall: float, beta: float) -> float:
    """The weighted harmonic mean of equation (4); 0 where both are 0."""
    denominator = recall + beta**2 * precision
    if denominator <= 0:
        return 0.0
    return (1 + beta**2) * precision * recall / denominator
