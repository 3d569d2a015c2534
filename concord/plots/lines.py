"""Line plots with a band, over an x axis that starts at 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from concord.plots.frames import Frame

FRAME = Frame(560, 280, left=48, right=544, top=12, bottom=236)


@dataclass(frozen=True, slots=True)
class LinePoint:
    x: float
    y: float
    title: str


@dataclass(frozen=True, slots=True)
class LinePlot:
    """`line` and `band` are SVG points; `points` have tooltips."""

    frame: Frame
    line: str
    band: str
    points: list[LinePoint]


def line_plot(
    x: Sequence[float],
    y: Sequence[float],
    band: tuple[Sequence[float], Sequence[float]],
    titles: Sequence[str],
    *,
    x_name: str,
    y_name: str,
    ends: tuple[float, float] = (0.0, 1.0),
) -> LinePlot:
    """A line with a band. All sequences have the same length, at least 1.

    band: the lower and upper ends of the band at each x. ends: of the y axis, which is widened to
    the band.
    """
    low, high = band
    x_axis = FRAME.x_axis(0.0, max(x), 6)
    y_axis = FRAME.y_axis(min(*low, ends[0]), max(*high, ends[1]), 5)
    xs = [x_axis.to_pixel(value) for value in x]
    above = [f"{a},{y_axis.to_pixel(b)}" for a, b in zip(xs, high, strict=True)]
    below = [f"{a},{y_axis.to_pixel(b)}" for a, b in zip(xs, low, strict=True)]
    points = [
        LinePoint(a, y_axis.to_pixel(b), title) for a, b, title in zip(xs, y, titles, strict=True)
    ]
    return LinePlot(
        FRAME.with_ticks(x_axis.ticks(), y_axis.ticks(), x_name, y_name),
        " ".join(f"{point.x},{point.y}" for point in points),
        " ".join([*above, *reversed(below)]),
        points,
    )
