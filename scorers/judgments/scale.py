"""Conversion of scores to shares of their scale."""

from __future__ import annotations

from collections.abc import Sequence

Scale = tuple[float, float]

#: The scales that a file need not state, in the order in which they are tried.
_COMMON_SCALES: tuple[Scale, ...] = ((0.0, 1.0), (1.0, 5.0))


def share_of_scale(score: float, scale: Scale) -> float:
    """A score as a share of its scale, from 0 (lowest) to 1 (highest)."""
    low, high = scale
    return (score - low) / (high - low)


def enclosing_scale(scores: Sequence[float]) -> Scale | None:
    """The first of the scales 0 to 1 and 1 to 5 that contains all scores; None if neither does."""
    for low, high in _COMMON_SCALES:
        if all(low <= score <= high for score in scores):
            return low, high
    return None
