"""The planner's curves as numbers that a template draws: cost against width. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from annotation.planning import Plan
from annotation.plots import Mark

WIDTH, HEIGHT = 640, 330
LEFT, RIGHT, TOP, BOTTOM = 52, 92, 18, 282
WIDEST = 0.6
STEPS = 24


@dataclass(frozen=True, slots=True)
class Curve:
    """One number of raters: an SVG path, and where its label stands."""

    raters: int
    path: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PlanPlot:
    """Cost on a logarithmic axis, width on a plain one; `wanted_y` is the wanted width's line."""

    curves: list[Curve]
    x_ticks: list[Mark]
    y_ticks: list[Mark]
    wanted_y: float
    cheapest: tuple[float, float]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = BOTTOM


def plan_plot(plan: Plan) -> PlanPlot | None:
    """The plan's curves; None where nothing costs anything, so that there is no axis to draw."""
    cells = [cell for row in plan.rows for cell in row.cells]
    least, most = (edge(cell.cents for cell in cells) for edge in (min, max))
    if least <= 0 or least == most:
        return None
    tallest = min(WIDEST, max(max(cell.width for cell in cells), plan.wanted_width)) * 1.05

    def x(cents: float) -> float:
        share = math.log(cents / least) / math.log(most / least)
        return round(LEFT + min(1.0, max(0.0, share)) * (WIDTH - RIGHT - LEFT), 1)

    def y(width: float) -> float:
        return round(BOTTOM - min(1.0, width / tallest) * (BOTTOM - TOP), 1)

    curves = []
    for row in plan.rows:
        first, last = row.cells[0], row.cells[-1]
        points = []
        for step in range(STEPS + 1):
            # A width falls with the root of the items, and money grows with them.
            growth = (last.items / first.items) ** (step / STEPS)
            width = first.width / math.sqrt(growth)
            if width <= tallest:
                points.append((x(first.cents * growth), y(width)))
        if points:
            path = "M" + "L".join(f"{across} {down}" for across, down in points)
            curves.append(Curve(row.raters, path, *points[-1]))
    best = plan.cheapest
    return PlanPlot(
        _apart(curves),
        [Mark(x(100 * dollars), f"${dollars:,}") for dollars in _decades(least, most)],
        [Mark(y(width), f"{width:.1f}") for width in _tenths(tallest)],
        y(plan.wanted_width),
        (x(best.cents), y(best.width)),
    )


def _apart(curves: list[Curve]) -> list[Curve]:
    """Labels that would lie on each other moved apart, upwards."""
    found: list[Curve] = []
    for curve in sorted(curves, key=lambda curve: -curve.y):
        below = [other.y for other in found if abs(other.x - curve.x) < 70]
        y = min([curve.y, *(other - 13 for other in below)])
        found.append(Curve(curve.raters, curve.path, curve.x, round(y, 1)))
    return sorted(found, key=lambda curve: curve.raters)


def _decades(least: int, most: int) -> list[int]:
    """1, 2 and 5 times powers of ten, in dollars, within the range of cents."""
    candidates = [factor * 10**power for power in range(8) for factor in (1, 2, 5)]
    within = [dollars for dollars in candidates if least <= 100 * dollars <= most]
    return within if len(within) <= 8 else [d for d in within if str(d)[0] == "1"]


def _tenths(tallest: float) -> list[float]:
    return [tenth / 10 for tenth in range(int(tallest * 10) + 1)]
