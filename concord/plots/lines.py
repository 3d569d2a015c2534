"""A line with its band over an axis that counts from nought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from concord.plots.axes import Axis, Tick

WIDTH, HEIGHT = 560, 280
LEFT, RIGHT, TOP, BOTTOM = 48, 16, 12, 44


@dataclass(frozen=True, slots=True)
class LinePoint:
    x: float
    y: float
    title: str


@dataclass(frozen=True, slots=True)
class LinePlot:
    """`line` and `band` are SVG points; ticks of both axes; dots to hover."""

    x_ticks: list[Tick]
    y_ticks: list[Tick]
    line: str
    band: str
    points: list[LinePoint]
    x_name: str
    y_name: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


def line_plot(
    x: Sequence[float],
    y: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    titles: Sequence[str],
    *,
    x_name: str,
    y_name: str,
    ends: tuple[float, float] = (0.0, 1.0),
) -> LinePlot:
    """All sequences of one length, one or more; y runs over `ends`, widened to hold the band."""
    across = Axis.around(0.0, max(x), LEFT, WIDTH - RIGHT, 6)
    up = Axis.around(min(*low, ends[0]), max(*high, ends[1]), HEIGHT - BOTTOM, TOP, 5)
    xs = [across.place(value) for value in x]
    above = [f"{a},{up.place(b)}" for a, b in zip(xs, high, strict=True)]
    below = [f"{a},{up.place(b)}" for a, b in zip(xs, low, strict=True)]
    points = [LinePoint(a, up.place(b), title) for a, b, title in zip(xs, y, titles, strict=True)]
    return LinePlot(
        across.ticks(),
        up.ticks(),
        " ".join(f"{point.x},{point.y}" for point in points),
        " ".join([*above, *reversed(below)]),
        points,
        x_name,
        y_name,
    )
