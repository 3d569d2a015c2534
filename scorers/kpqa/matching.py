"""Weighted overlap of two sequences of units: the sums in KPQA's equations (1) to (5)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]


def clipped_overlap(candidate: Sequence[str], weights: Weights, reference: Sequence[str]) -> float:
    """The weight of the candidate's units that occur in the reference, clipped by count.

    A unit that occurs k times in the reference matches at most k of the candidate's units, the
    heaviest ones.
    """
    available = Counter(reference)
    matched: defaultdict[str, list[float]] = defaultdict(list)
    for unit, weight in zip(candidate, weights.tolist(), strict=True):
        if unit in available:
            matched[unit].append(weight)
    return math.fsum(
        math.fsum(sorted(occurrences, reverse=True)[: available[unit]])
        for unit, occurrences in matched.items()
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

    Weights must not be negative. The maximum is over all common subsequences, not only the longest
    ones, so it does not depend on the order of repeated units. Needs O(len(one)) vector operations
    of length len(other).
    """
    return float(_best_common_subsequence(one, weights, other))


def longest_common_subsequence_weight(
    one: Sequence[str], weights: Weights, other: Sequence[str]
) -> float:
    """The weight of a longest common subsequence, by the weights of the first sequence.

    Equation (5) does not say which one if several are longest. Here it is the heaviest, so the
    value is the same for the reversed texts. Weights must not be negative. Needs O(len(one)) vector
    operations of length len(other).
    """
    # numpy orders complex numbers by the real part, here the length, then by the imaginary one.
    return float(_best_common_subsequence(one, 1 + 1j * weights, other).imag)


def _best_common_subsequence(
    one: Sequence[str], values: NDArray[Any], other: Sequence[str]
) -> np.generic:
    """The largest sum of values, one for each unit of `one`, over the common subsequences."""
    positions: defaultdict[str, list[int]] = defaultdict(list)
    for position, unit in enumerate(other):
        positions[unit].append(position)
    # best[j + 1]: the best common subsequence of the units read so far and other[: j + 1].
    best = np.zeros(len(other) + 1, dtype=values.dtype)
    for unit, value in zip(one, values, strict=True):
        if unit in positions:
            matching = np.array(positions[unit])
            step = best.copy()
            step[matching + 1] = np.maximum(step[matching + 1], best[matching] + value)
            best = np.maximum.accumulate(step)
    last: np.generic = best[-1]
    return last


def f_measure(precision: float, recall: float, beta: float) -> float:
    """The weighted harmonic mean of equation (4); 0 if both are 0."""
    denominator = recall + beta**2 * precision
    if denominator <= 0:
        return 0.0
    return (1 + beta**2) * precision * recall / denominator
