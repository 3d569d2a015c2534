"""The scatter plot of a metric's scores against people's, or against another metric's."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmarks.errors.services import browsing
from benchmarks.sets.models import JudgmentSet
from concord import plots

# With more, squares count them: a page stays below 150 kB.
MAX_POINTS = 400
Values = NDArray[np.float64]


@dataclass(frozen=True)
class ScatterPoint:
    """One candidate of the plot."""

    position: plots.Point
    key: str
    gold: float
    score: float


@dataclass(frozen=True)
class ScatterPlot:
    """`n` candidates with a score, `missing` without; points, or squares if there are too many.

    frame: None without candidates. spread: whether equal values are drawn next to each other.
    """

    n: int
    missing: int
    frame: plots.Frame | None = None
    points: list[ScatterPoint] = field(default_factory=list)
    squares: list[plots.Square] = field(default_factory=list)
    spread: bool = False


def scatter_plot(
    judgment_set: JudgmentSet,
    positions: NDArray[np.int64],
    values: tuple[Values, Values],
    y_name: str,
    *,
    x_name: str = "people's score",
    scale: tuple[float, float] | None = None,
) -> ScatterPlot:
    """The plot of two values of each candidate, x and y, of shape (n,); NaN for none.

    positions: those of the candidates. scale: the range of x, if known.
    """
    x, y = values
    scored = np.isfinite(x) & np.isfinite(y)
    missing = int(np.count_nonzero(~scored))
    positions, x, y = positions[scored], x[scored], y[scored]
    if not len(x):
        return ScatterPlot(0, missing)
    plane = plots.scatter_plane(x, y, y_name, scale, x_name)
    if len(x) > MAX_POINTS:
        squares = plots.density_squares(plane, x, y)
        return ScatterPlot(len(x), missing, plane.frame, squares=squares)
    keys = browsing.keys_at(judgment_set, positions.tolist())
    points = [
        ScatterPoint(
            position=point,
            key=keys[int(positions[point.index])],
            gold=float(x[point.index]),
            score=float(y[point.index]),
        )
        for point in plots.scatter_points(plane, x, y)
    ]
    spread = bool(plane.spread_x or plane.spread_y)
    return ScatterPlot(len(x), missing, plane.frame, points=points, spread=spread)
