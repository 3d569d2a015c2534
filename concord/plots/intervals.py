"""A value as a dot with its interval, on a scale that many rows share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from concord.plots.axes import Axis, Tick

MARGIN = 14.0


@dataclass(frozen=True, slots=True)
class IntervalMark:
    """Pixels of a dot and of its interval's ends; without an interval the ends are None."""

    at: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class IntervalScale:
    """What the rows share: the canvas width, the ticks, and the axis."""

    width: int
    ticks: list[Tick]
    axis: Axis

    @classmethod
    def over(cls, low: float, high: float, *, width: int = 240, ticks: int = 5) -> IntervalScale:
        """A scale from `low` to `high`, widened to round ends."""
        axis = Axis.around(low, high, MARGIN, width - MARGIN, ticks)
        return cls(width, axis.ticks(), axis)

    @classmethod
    def holding(
        cls,
        intervals: Iterable[Sequence[float]],
        *,
        zero: bool = True,
        width: int = 240,
        ticks: int = 5,
    ) -> IntervalScale:
        """The narrowest scale that holds all the intervals and, if asked, zero."""
        ends = [end for interval in intervals for end in interval] + [0.0] * zero
        if not ends:
            ends = [0.0, 1.0]
        return cls.over(min(ends), max(ends), width=width, ticks=ticks)

    def mark(self, value: float, interval: Sequence[float] | None) -> IntervalMark:
        low, high = interval or (None, None)
        return IntervalMark(
            self.axis.place(value),
            None if low is None else self.axis.place(low),
            None if high is None else self.axis.place(high),
        )
