"""Scores as shares of their scale."""

from __future__ import annotations

from collections.abc import Sequence

Scale = tuple[float, float]

#: The scales that a file may leave unstated, in the order in which they are tried.
_COMMON_SCALES: tuple[Scale, ...] = ((0.0, 1.0), (1.0, 5.0))


def share_of_scale(score: float, scale: Scale) -> float:
    """A score that lies on its scale as a share of it, from 0 (lowest) to 1 (highest)."""
    low, high = scale
    return (score - low) / (high - low)


def enclosing_scale(scores: Sequence[float]) -> Scale | None:
    """The first of the scales 0 to 1 and 1 to 5 that holds all scores; None where neither does."""
    for low, high in _COMMON_SCALES:
        if all(low <= score <= high for score in scores):
            return low, high
    return None
