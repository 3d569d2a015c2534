"""The evaluation plane's grid as a heat map: 11 alphas across, 4 orders N upwards.

The shade of a cell shows how much of people's ranking a member explains, and the cell contains the
value. Two outlines mark the best cell and the predicted region. The shades are those of the
matrices (`like-0` to `like-10`): one hue from pale to full, which does not depend on colour vision.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 46, 30
LEFT, TOP, RIGHT, BOTTOM = 44, 8, 8, 40
SHADES = 10
# Distance of the outlines from the edge: half of their strokes, so that one is inside the other.
BEST_INSET, REGION_INSET = 1.5, -1.0


@dataclass(frozen=True, slots=True)
class GridCell:
    """classes: CSS classes of the group. mark: the text in the cell, or "". title: the tooltip and
    the text for screen readers."""

    x: float
    y: float
    classes: str
    mark: str
    title: str

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + WIDTH / 2, self.y + HEIGHT / 2


@dataclass(frozen=True, slots=True)
class GridOutline:
    """A rectangle; `kind` is its CSS class, `best` or `predicted` (dashed)."""

    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class GridLabel:
    """A number beside its row or below its column."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class GridPlot:
    """cells, alpha by alpha, N = 1 at the bottom, each of cell_width by cell_height pixels.

    title and description: texts for <title> and <desc>.
    """

    width: float
    height: float
    cell_width: int
    cell_height: int
    cells: list[GridCell]
    columns: list[GridLabel]
    rows: list[GridLabel]
    outlines: list[GridOutline]
    description: str
    title: str = "R\N{SUPERSCRIPT TWO} over systems"

    @property
    def column_axis(self) -> GridLabel:
        """Position of the name of the alpha axis, middle-anchored."""
        return GridLabel("alpha", (LEFT + self.width - RIGHT) / 2, self.height - 6)

    @property
    def row_axis(self) -> GridLabel:
        """Position of the name of the N axis."""
        return GridLabel("N", 14, (TOP + self.height - BOTTOM) / 2)


def grid_plot(
    values: Sequence[Sequence[float]],
    alphas: Sequence[float],
    orders: Sequence[int],
    *,
    best: tuple[int, int] | None = None,
    predicted: tuple[int, int, int, int] | None = None,
    notes: Sequence[Sequence[str]] | None = None,
    upside_down: Sequence[Sequence[bool]] | None = None,
) -> GridPlot:
    """The heat map of values[i][k] in [0, 1] at alphas[i] and orders[k], NaN where not defined.

    best: (i, k). predicted: first and last i, first and last k, inclusive. notes: additional text
    for each cell's title, such as its interval. upside_down: cells with a negative correlation;
    they get the class `opposed` and a minus sign. Raises ValueError where shapes differ.
    """
    shape = (len(alphas), len(orders))
    for grid in (values, notes, upside_down):
        if grid is not None and (len(grid), *{len(row) for row in grid}) != shape:
            raise ValueError(f"values, notes and upside_down must be {shape[0]} by {shape[1]}")
    cells = []
    for i, alpha in enumerate(alphas):
        for k, n in enumerate(orders):
            value = float(values[i][k])
            opposed = upside_down is not None and bool(upside_down[i][k])
            member = f"AEv({alpha:g}, {n})"
            title_parts = [f"{member}: {_in_words(value, opposed)}"]
            title_parts += [notes[i][k]] if notes is not None and notes[i][k] else []
            title_parts += ["the best cell"] if best == (i, k) else []
            title_parts += (
                ["predicted"] if predicted is not None and _within(i, k, predicted) else []
            )
            classes = _shade(value) + " opposed" * opposed
            mark = _mark(value, opposed)
            cells.append(
                GridCell(*_corner(i, k, len(orders)), classes, mark, "; ".join(title_parts))
            )
    height = TOP + len(orders) * HEIGHT + BOTTOM
    return GridPlot(
        width=LEFT + len(alphas) * WIDTH + RIGHT,
        height=height,
        cell_width=WIDTH,
        cell_height=HEIGHT,
        cells=cells,
        columns=[
            GridLabel(f"{alpha:g}", LEFT + (i + 0.5) * WIDTH, height - BOTTOM + 14)
            for i, alpha in enumerate(alphas)
        ],
        rows=[
            GridLabel(str(n), LEFT - 8, _corner(0, k, len(orders))[1] + HEIGHT / 2)
            for k, n in enumerate(orders)
        ],
        outlines=_outlines(best, predicted, len(orders)),
        description=_description(values, alphas, orders, best, predicted),
    )


def _corner(i: int, k: int, rows: int) -> tuple[float, float]:
    """The upper left corner of a cell; the first order lies at the bottom, as in the paper."""
    return LEFT + i * WIDTH, TOP + (rows - 1 - k) * HEIGHT


def _within(i: int, k: int, region: tuple[int, int, int, int]) -> bool:
    return region[0] <= i <= region[1] and region[2] <= k <= region[3]


def _shade(value: float) -> str:
    if math.isnan(value):
        return "undefined"
    return f"like-{max(0, min(SHADES, round(SHADES * value)))}"


def _mark(value: float, opposed: bool) -> str:
    sign = "\N{MINUS SIGN}" if opposed else ""
    return "" if math.isnan(value) else f"{sign}{value:.2f}"


def _in_words(value: float, opposed: bool) -> str:
    if math.isnan(value):
        return "not defined"
    return f"R\N{SUPERSCRIPT TWO} {value:.3f}{', upside down' if opposed else ''}"


def _outlines(
    best: tuple[int, int] | None, predicted: tuple[int, int, int, int] | None, rows: int
) -> list[GridOutline]:
    """The outline of the predicted region comes first, so the best cell's is drawn over it."""
    outlines = []
    if predicted is not None:
        outlines.append(_outline("predicted", predicted, rows, REGION_INSET))
    if best is not None:
        i, k = best
        outlines.append(_outline("best", (i, i, k, k), rows, BEST_INSET))
    return outlines


def _outline(kind: str, region: tuple[int, int, int, int], rows: int, inset: float) -> GridOutline:
    first, last, low, high = region
    x, y = _corner(first, high, rows)
    width, height = (last - first + 1) * WIDTH, (high - low + 1) * HEIGHT
    return GridOutline(kind, x + inset, y + inset, width - 2 * inset, height - 2 * inset)


def _description(
    values: Sequence[Sequence[float]],
    alphas: Sequence[float],
    orders: Sequence[int],
    best: tuple[int, int] | None,
    predicted: tuple[int, int, int, int] | None,
) -> str:
    parts = [
        f"A heat map of {len(alphas)} alphas from {alphas[0]:g} to {alphas[-1]:g} by "
        f"N from {orders[0]} to {orders[-1]}."
    ]
    if best is None:
        parts.append("No cell is the best.")
    else:
        i, k = best
        member, value = f"AEv({alphas[i]:g}, {orders[k]})", values[i][k]
        parts.append(f"The best cell is {member} with R\N{SUPERSCRIPT TWO} {value:.3f}.")
    if predicted is not None:
        first, last, low, high = predicted
        alpha = _span(f"{alphas[first]:g}", f"{alphas[last]:g}")
        parts.append(f"Predicted: alpha {alpha}, N {_span(str(orders[low]), str(orders[high]))}.")
    return " ".join(parts)


def _span(low: str, high: str) -> str:
    return low if low == high else f"from {low} to {high}"
