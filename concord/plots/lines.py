"""A line with its band over an axis that counts from nought."""

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
    """`line` and `band` are SVG points; dots to hover."""

    frame: Frame
    line: str
    band: str
    points: list[LinePoint]


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
    across = FRAME.across(0.0, max(x), 6)
    up = FRAME.up(min(*low, ends[0]), max(*high, ends[1]), 5)
    xs = [across.place(value) for value in x]
    above = [f"{a},{up.place(b)}" for a, b in zip(xs, high, strict=True)]
    below = [f"{a},{up.place(b)}" for a, b in zip(xs, low, strict=True)]
    points = [LinePoint(a, up.place(b), title) for a, b, title in zip(xs, y, titles, strict=True)]
    return LinePlot(
        FRAME.ticked(across.ticks(), up.ticks(), x_name, y_name),
        " ".join(f"{point.x},{point.y}" for point in points),
        " ".join([*above, *reversed(below)]),
        points,
    )
