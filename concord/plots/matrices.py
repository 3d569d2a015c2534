"""Matrices of all pairs of metrics as shaded cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SIDE = 22
LETTER = 6.3  # approximate width of a character in pixels
MAX_NAME_CHARS = 34
GAP = 8


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """shade: a CSS class. mark: the text in the cell. title: the tooltip."""

    x: float
    y: float
    shade: str
    mark: str
    title: str

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + SIDE / 2, self.y + SIDE / 2


@dataclass(frozen=True, slots=True)
class MatrixName:
    """A name with the positions of its row label and column label."""

    name: str
    row_y: float
    column_x: float


@dataclass(frozen=True, slots=True)
class MatrixPlot:
    """cells: row by row; left, top: the corner of the square; rules: lines between groups."""

    width: float
    height: float
    left: float
    top: float
    side: int
    names: list[MatrixName]
    cells: list[MatrixCell]
    rules: list[float]

    @property
    def end(self) -> tuple[float, float]:
        """The lower right corner."""
        n = len(self.names)
        return self.left + n * SIDE, self.top + n * SIDE


def matrix_plot(
    names: Sequence[str],
    cells: Sequence[Sequence[tuple[str, str, str] | None]],
    borders: Sequence[int] = (),
) -> MatrixPlot:
    """A square of len(names) rows; cells[i][j] is (shade, mark, title), or None for no cell.

    `borders`: rows with a line above them, which separates groups.
    """
    labels = [
        name if len(name) <= MAX_NAME_CHARS else name[: MAX_NAME_CHARS - 1] + "…" for name in names
    ]
    label_width = max((len(name) for name in labels), default=0) * LETTER + GAP
    n = len(names)
    matrix_cells = [
        MatrixCell(label_width + j * SIDE, label_width + i * SIDE, *cell)
        for i, row in enumerate(cells)
        for j, cell in enumerate(row)
        if cell is not None
    ]
    return MatrixPlot(
        width=round(label_width + n * SIDE + GAP, 1),
        height=round(label_width + n * SIDE + GAP, 1),
        left=label_width,
        top=label_width,
        side=SIDE,
        names=[
            MatrixName(name, label_width + i * SIDE + SIDE / 2, label_width + i * SIDE + SIDE / 2)
            for i, name in enumerate(labels)
        ],
        cells=matrix_cells,
        rules=[label_width + border * SIDE for border in borders],
    )


def shorten(name: str) -> str:
    """The name, shortened to MAX_NAME_CHARS."""
    if len(name) <= MAX_NAME_CHARS:
        return name
    return name[: MAX_NAME_CHARS - 1] + "\N{HORIZONTAL ELLIPSIS}"
