"""A statistic that may be undefined."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReliabilityFigure:
    """A number; None where it is undefined, with the reason."""

    value: float | None
    reason: str | None = None
