"""Small multiples of histograms over shared bins (MOCHA, Figures 3 and 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from concord.plots.axes import Tick

WIDTH, HEIGHT = 220.0, 118.0
TOP, BASE = 8.0, 96.0
GAP = 0.14  # share of a bin's width
MAX_LABELS = 6


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
class HistogramPanel:
    """One histogram; `total` is how many scores it counts."""

    name: str
    total: int
    bars: list[Bar]
    ticks: list[Tick]
    width: float = WIDTH
    height: float = HEIGHT
    base: float = BASE


def histogram_panels(
    bins: Sequence[str], counts: Mapping[str, Sequence[int]]
) -> list[HistogramPanel]:
    """A panel for each name in `counts`, whose values are numbers of scores by bin.

    Heights are shares of the panel's scores, on one scale for all panels: the highest bar of all
    panels reaches the top.
    """
    shares = [max(row) / sum(row) for row in counts.values() if sum(row)]
    tallest = max(shares, default=1.0)
    return [_panel(name, bins, row, tallest) for name, row in counts.items() if sum(row)]


def _panel(name: str, bins: Sequence[str], counts: Sequence[int], tallest: float) -> HistogramPanel:
    bin_width = WIDTH / len(bins)
    total = sum(counts)
    bars = []
    for index, (label, count) in enumerate(zip(bins, counts, strict=True)):
        height = round((BASE - TOP) * count / total / tallest, 2)
        x, width = round(bin_width * (index + GAP / 2), 2), round(bin_width * (1 - GAP), 2)
        bars.append(Bar(x, round(BASE - height, 2), width, height, label, count, count / total))
    label_step = -(-len(bins) // MAX_LABELS)
    ticks = [
        Tick(round(bin_width * (index + 0.5), 2), label)
        for index, label in enumerate(bins)
        if index % label_step == 0
    ]
    return HistogramPanel(name, total, bars, ticks)
