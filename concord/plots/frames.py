"""The frame of a plot: positions, ticks and names of its axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from concord.plots.axes import Axis, Tick


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture of `width` by `height` pixels and the inner edges of the plot in it.

    Pixels count from the upper left corner. One template draws the ticks and the names.
    """

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    x_ticks: Sequence[Tick] = ()
    y_ticks: Sequence[Tick] = ()
    x_name: str = ""
    y_name: str = ""

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def x_axis(self, low: float, high: float, steps: int) -> Axis:
        """A linear axis to the right; see `Axis.from_range`."""
        return Axis.from_range(low, high, self.left, self.right, steps)

    def y_axis(self, low: float, high: float, steps: int) -> Axis:
        """A linear axis upward; see `Axis.from_range`."""
        return Axis.from_range(low, high, self.bottom, self.top, steps)

    def with_ticks(self, x: Sequence[Tick], y: Sequence[Tick], x_name: str, y_name: str) -> Frame:
        """The frame with ticks and names."""
        return replace(self, x_ticks=x, y_ticks=y, x_name=x_name, y_name=y_name)
