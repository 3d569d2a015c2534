"""Scatter plot of workers: number of ratings by mean |z|."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from concord.plots.axes import Tick
from concord.plots.frames import Frame

WORKERS = Frame(520, 260, left=48, right=504, top=12, bottom=216)


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
    """Workers by number of ratings (x, logarithmic) and mean |z| (y)."""

    points: list[WorkerPoint]
    frame: Frame


def worker_scatter(rows: Sequence[tuple[str, int, float, bool]]) -> WorkerScatter:
    """A point for each (name, count >= 1, mean |z|, whether flagged); at least one row."""
    max_count = max(count for _, count, _, _ in rows)
    decades = max(1, math.ceil(math.log10(max_count)))
    max_z = max(1.0, math.ceil(max(z for _, _, z, _ in rows) * 2) / 2)

    def x(count: float) -> float:
        share = math.log10(count) / decades
        return round(WORKERS.left + (WORKERS.right - WORKERS.left) * share, 1)

    def y(z: float) -> float:
        return round(WORKERS.bottom - (WORKERS.bottom - WORKERS.top) * z / max_z, 1)

    x_ticks = [Tick(x(10**power), f"{10**power:,}") for power in range(decades + 1)]
    steps = 4 if max_z <= 2 else int(max_z)
    y_ticks = [Tick(y(max_z * n / steps), f"{max_z * n / steps:.2g}") for n in range(steps + 1)]
    points = [WorkerPoint(x(n), y(z), name, n, z, flag) for name, n, z, flag in rows]
    return WorkerScatter(points, WORKERS.with_ticks(x_ticks, y_ticks, "ratings given", "mean |z|"))
