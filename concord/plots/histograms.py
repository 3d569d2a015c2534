"""Small multiples of histograms over shared bins (MOCHA, Figures 3 and 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from concord.plots.axes import Tick

WIDTH, HEIGHT = 220.0, 118.0
TOP, BASE = 8.0, 96.0
GAP = 0.14  # of a bar's room
MOST_LABELS = 6


@dataclass(frozen=True, slots=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    label: str
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class Panel:
    """One histogram; `total` is how many scores it counts."""

    name: str
    total: int
    bars: list[Bar]
    ticks: list[Tick]
    width: float = WIDTH
    height: float = HEIGHT
    base: float = BASE


def panels(bins: Sequence[str], counts: Mapping[str, Sequence[int]]) -> list[Panel]:
    """A panel for each name in `counts`, whose values count scores by bin.

    Heights are shares of the panel's own scores, on one scale for all panels: the tallest bar of
    all reaches the top, so that panels of different size compare.
    """
    shares = [max(row) / sum(row) for row in counts.values() if sum(row)]
    tallest = max(shares, default=1.0)
    return [_panel(name, bins, row, tallest) for name, row in counts.items() if sum(row)]


def _panel(name: str, bins: Sequence[str], counts: Sequence[int], tallest: float) -> Panel:
    room = WIDTH / len(bins)
    total = sum(counts)
    bars = []
    for at, (label, count) in enumerate(zip(bins, counts, strict=True)):
        height = round((BASE - TOP) * count / total / tallest, 2)
        x, width = round(room * (at + GAP / 2), 2), round(room * (1 - GAP), 2)
        bars.append(Bar(x, round(BASE - height, 2), width, height, label, count, count / total))
    every = -(-len(bins) // MOST_LABELS)
    ticks = [
        Tick(round(room * (at + 0.5), 2), label) for at, label in enumerate(bins) if at % every == 0
    ]
    return Panel(name, total, bars, ticks)
