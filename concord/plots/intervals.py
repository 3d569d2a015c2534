"""Dots with intervals on a scale that all rows of a table share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from concord.plots.axes import Axis, Tick

MARGIN = 14.0


@dataclass(frozen=True, slots=True)
class IntervalMark:
    """Pixels of a dot (`at`) and of the ends of its interval; None without an interval."""

    at: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class IntervalScale:
    """The shared scale of rows: picture width, ticks and axis."""

    width: int
    ticks: list[Tick]
    axis: Axis

    @classmethod
    def from_range(
        cls, low: float, high: float, *, width: int = 240, ticks: int = 5
    ) -> IntervalScale:
        """A scale from `low` to `high`, widened to round numbers."""
        axis = Axis.from_range(low, high, MARGIN, width - MARGIN, ticks)
        return cls(width, axis.ticks(), axis)

    @classmethod
    def from_intervals(
        cls,
        intervals: Iterable[Sequence[float]],
        *,
        zero: bool = True,
        width: int = 240,
        ticks: int = 5,
    ) -> IntervalScale:
        """The smallest scale that contains all intervals and, with `zero`, zero."""
        ends = [end for interval in intervals for end in interval] + [0.0] * zero
        if not ends:
            ends = [0.0, 1.0]
        return cls.from_range(min(ends), max(ends), width=width, ticks=ticks)

    def mark(self, value: float, interval: Sequence[float] | None) -> IntervalMark:
        """The pixel positions of a value and its interval."""
        low, high = interval or (None, None)
        return IntervalMark(
            self.axis.to_pixel(value),
            None if low is None else self.axis.to_pixel(low),
            None if high is None else self.axis.to_pixel(high),
        )
