"""Small plots of ratings and workers, as numbers that a template draws. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 220.0, 118.0
TOP, BASE = 8.0, 96.0
GAP = 0.14
SCATTER_WIDTH, SCATTER_HEIGHT = 520, 260
LEFT, RIGHT, UPPER, LOWER = 48, 16, 12, 44


@dataclass(frozen=True, slots=True)
class Mark:
    """A tick: where it stands and what it says."""

    at: float
    label: str


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
class Distribution:
    """Bars over the points of the scale; `total` is how many ratings they count."""

    name: str
    total: int
    bars: list[Bar]
    ticks: list[Mark]
    width: float = WIDTH
    height: float = HEIGHT
    base: float = BASE


def distributions(rows: Sequence[tuple[str, Sequence[int]]], low: int) -> list[Distribution]:
    """A panel for each (name, counts by scale point from `low`), on one scale of shares."""
    shares = [max(counts) / sum(counts) for _, counts in rows if sum(counts)]
    tallest = max(shares, default=1.0)
    return [_distribution(name, counts, low, tallest) for name, counts in rows if sum(counts)]


def _distribution(name: str, counts: Sequence[int], low: int, tallest: float) -> Distribution:
    room, total = WIDTH / len(counts), sum(counts)
    bars, ticks = [], []
    for at, count in enumerate(counts):
        height = round((BASE - TOP) * count / total / tallest, 2)
        x, width = round(room * (at + GAP / 2), 2), round(room * (1 - GAP), 2)
        label = str(low + at)
        bars.append(Bar(x, round(BASE - height, 2), width, height, label, count, count / total))
        ticks.append(Mark(round(room * (at + 0.5), 2), label))
    return Distribution(name, total, bars, ticks)


@dataclass(frozen=True, slots=True)
class WorkerPoint:
    x: float
    y: float
    name: str
    count: int
    mean_abs_z: float
    flagged: bool


@dataclass(frozen=True, slots=True)
class WorkerScatter:
    """Workers by ratings given (logarithmic, to the right) and mean |z| (upward)."""

    points: list[WorkerPoint]
    x_ticks: list[Mark]
    y_ticks: list[Mark]
    width: int = SCATTER_WIDTH
    height: int = SCATTER_HEIGHT
    left: int = LEFT
    right: int = SCATTER_WIDTH - RIGHT
    top: int = UPPER
    bottom: int = SCATTER_HEIGHT - LOWER


def worker_scatter(rows: Sequence[tuple[str, int, float, bool]]) -> WorkerScatter:
    """A point for each (name, count >= 1, mean |z|, whether flagged); at least one row."""
    most = max(count for _, count, _, _ in rows)
    decades = max(1, math.ceil(math.log10(most)))
    highest = max(1.0, math.ceil(max(z for _, _, z, _ in rows) * 2) / 2)
    right, bottom = SCATTER_WIDTH - RIGHT, SCATTER_HEIGHT - LOWER

    def x(count: float) -> float:
        return round(LEFT + (right - LEFT) * math.log10(count) / decades, 1)

    def y(z: float) -> float:
        return round(bottom - (bottom - UPPER) * z / highest, 1)

    x_ticks = [Mark(x(10**power), f"{10**power:,}") for power in range(decades + 1)]
    steps = 4 if highest <= 2 else int(highest)
    y_ticks = [Mark(y(highest * n / steps), f"{highest * n / steps:.2g}") for n in range(steps + 1)]
    points = [WorkerPoint(x(n), y(z), name, n, z, flag) for name, n, z, flag in rows]
    return WorkerScatter(points, x_ticks, y_ticks)
