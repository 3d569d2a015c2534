"""Geometry of the planner's plot: items against width.

Both axes are logarithmic, so a width that falls with the square root of the items is a straight
line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from concord.planning.plan import Plan, PlanCell
from concord.plots.axes import Tick
from concord.plots.frames import Frame

FRAME = Frame(640, 330, left=52, right=548, top=18, bottom=282)
LABEL_HEIGHT = 13


@dataclass(frozen=True, slots=True)
class PlanCurve:
    """The line of one number of raters, the position of its label, and the point that reaches the
    wanted width; `reached` is None where this is outside the plot.
    """

    raters: int
    path: str
    label_y: float
    reached: tuple[float, float] | None
    needed: PlanCell | None
    cheapest: bool


@dataclass(frozen=True, slots=True)
class PlanPlot:
    """`wanted_y` is the y of the wanted width; None where it is outside the plot."""

    curves: list[PlanCurve]
    frame: Frame
    wanted_y: float | None


class _Axis:
    """A logarithmic axis from `low` to `high`, drawn from `start` to `stop`."""

    def __init__(self, low: float, high: float, start: float, stop: float) -> None:
        self.low, self.high, self.start, self.stop = low, high, start, stop

    def __call__(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return round(self.start + share * (self.stop - self.start), 1)

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


def plan_plot(plan: Plan, items_name: str = "items") -> PlanPlot | None:
    """The lines of a plan; `items_name` is that of the x axis.

    None where raters always agree: a logarithmic axis cannot show 0.
    """
    cells = [cell for row in plan.rows for cell in row.cells]
    items = [cell.items for cell in cells]
    widths = [cell.width for cell in cells]
    if min(widths) <= 0:
        return None
    x = _Axis(min(items), max(items), FRAME.left, FRAME.right)
    y = _Axis(min(widths) * 0.9, max(widths) * 1.1, FRAME.bottom, FRAME.top)
    curves: list[PlanCurve] = []
    label_y = math.inf
    for row in sorted(plan.rows, key=lambda row: row.cells[-1].width):
        last, needed = row.cells[-1], row.needed
        # Labels are at the ends of the lines, from the lowest up, without overlap.
        label_y = min(y(last.width), label_y - LABEL_HEIGHT)
        reached = None
        if needed is not None and x.holds(needed.items) and y.holds(needed.width):
            reached = x(needed.items), y(needed.width)
        curves.append(
            PlanCurve(
                raters=row.raters,
                path="M" + "L".join(f"{x(cell.items)} {y(cell.width)}" for cell in row.cells),
                label_y=round(label_y, 1),
                reached=reached,
                needed=needed,
                cheapest=needed is not None and needed == plan.cheapest,
            )
        )
    across = [Tick(x(count), f"{count:,}") for count in sorted(set(items))]
    up = [Tick(y(width), f"{width:g}") for width in _rounds(y)]
    return PlanPlot(
        sorted(curves, key=lambda curve: curve.raters),
        FRAME.with_ticks(across, up, items_name, "width of the interval"),
        y(plan.wanted_width) if y.holds(plan.wanted_width) else None,
    )


def _rounds(axis: _Axis) -> list[float]:
    """1, 2 and 5 times powers of ten within the range of the axis."""
    candidates = [factor / 10**power for power in range(4, -1, -1) for factor in (1, 2, 5)]
    return [value for value in candidates if axis.holds(value)]
