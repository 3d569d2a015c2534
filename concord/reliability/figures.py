"""A single figure that may be undefined."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A number, or None and the reason why there is none."""

    value: float | None
    reason: str | None = None
