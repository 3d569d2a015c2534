"""Every metric against every other: a square of shaded cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SIDE = 22
LETTER = 6.3  # pixels a character of a name takes, about
MOST_LETTERS = 34
GAP = 8


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """shade: a CSS class. mark: what stands in the cell. title: what it says when hovered."""

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
    """A name's place at the side and above its column."""

    name: str
    row_y: float
    column_x: float


@dataclass(frozen=True, slots=True)
class MatrixPlot:
    """cells row by row; `left` and `top` are where the square begins; rules part groups."""

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
        n = len(self.names)
        return self.left + n * SIDE, self.top + n * SIDE


def matrix_plot(
    names: Sequence[str],
    cells: Sequence[Sequence[tuple[str, str, str] | None]],
    borders: Sequence[int] = (),
) -> MatrixPlot:
    """A square of len(names) rows; cells[i][j] is (shade, mark, title), or None for an empty one.

    `borders` are rows above which a rule parts groups.
    """
    shown = [
        name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…" for name in names
    ]
    longest = max((len(name) for name in shown), default=0) * LETTER + GAP
    n = len(names)
    placed = [
        MatrixCell(longest + j * SIDE, longest + i * SIDE, *cell)
        for i, row in enumerate(cells)
        for j, cell in enumerate(row)
        if cell is not None
    ]
    return MatrixPlot(
        width=round(longest + n * SIDE + GAP, 1),
        height=round(longest + n * SIDE + GAP, 1),
        left=longest,
        top=longest,
        side=SIDE,
        names=[
            MatrixName(name, longest + i * SIDE + SIDE / 2, longest + i * SIDE + SIDE / 2)
            for i, name in enumerate(shown)
        ],
        cells=placed,
        rules=[longest + border * SIDE for border in borders],
    )


def shorten(name: str) -> str:
    """A name that fits beside the square."""
    if len(name) <= MOST_LETTERS:
        return name
    return name[: MOST_LETTERS - 1] + "\N{HORIZONTAL ELLIPSIS}"
