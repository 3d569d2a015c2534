"""Bars over time: how many ratings were made in each interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from concord.plots.axes import Tick
from concord.plots.frames import Frame

FRAME = Frame(720, 220, left=48, right=700, top=12, bottom=172)
GAP = 0.14  # share of a bar's width


@dataclass(frozen=True, slots=True)
class TimeBar:
    x: float
    y: float
    width: float
    height: float
    title: str


@dataclass(frozen=True, slots=True)
class ThroughputPlot:
    """`bars` has no bar for an interval without ratings."""

    frame: Frame
    bars: list[TimeBar]


def throughput_plot(
    titles: Sequence[str],
    counts: Sequence[int],
    ticks: Mapping[int, str],
    *,
    x_name: str,
    y_name: str,
) -> ThroughputPlot:
    """A bar for each interval, in order; at least one interval.

    ticks: the labels at the beginnings of intervals, by index.
    """
    y_axis = FRAME.y_axis(0, max(*counts, 4), 4)
    width = (FRAME.right - FRAME.left) / len(counts)
    bars = [
        TimeBar(
            x=round(FRAME.left + width * (index + GAP / 2), 2),
            y=y_axis.to_pixel(count),
            width=round(width * (1 - GAP), 2),
            height=round(FRAME.bottom - y_axis.to_pixel(count), 2),
            title=f"{title}: {count:,}",
        )
        for index, (title, count) in enumerate(zip(titles, counts, strict=True))
        if count
    ]
    x_ticks = [Tick(round(FRAME.left + width * index, 2), label) for index, label in ticks.items()]
    return ThroughputPlot(FRAME.with_ticks(x_ticks, y_axis.ticks(), x_name, y_name), bars)
