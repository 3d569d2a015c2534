"""The heat map of the plane's grid."""

import math
import re
from typing import Any

import pytest

from concord.plots.grid import HEIGHT, WIDTH, GridPlot, grid_plot

ALPHAS = tuple(k / 10 for k in range(11))
ORDERS = (1, 2, 3, 4)
VALUES = [[min(1.0, alpha / 2 + n / 8) for n in ORDERS] for alpha in ALPHAS]


def plot(**options: Any) -> GridPlot:
    return grid_plot(VALUES, ALPHAS, ORDERS, **options)


def test_there_are_44_cells_side_by_side_with_n_upwards() -> None:
    cells = plot().cells
    assert len(cells) == 44 == len({(cell.x, cell.y) for cell in cells})
    assert cells[0].x == cells[3].x and cells[0].y == cells[3].y + 3 * HEIGHT
    assert cells[4].x == cells[0].x + WIDTH and cells[4].y == cells[0].y
    result = plot()
    assert all(cell.x + WIDTH <= result.width for cell in cells)
    assert all(cell.y >= 0 and cell.y + HEIGHT <= result.height for cell in cells)


def test_numbers_stand_at_their_rows_and_columns() -> None:
    result = plot()
    assert [label.text for label in result.columns][:4] == ["0", "0.1", "0.2", "0.3"]
    assert [label.text for label in result.rows] == ["1", "2", "3", "4"]
    assert result.columns[0].x == result.cells[0].middle[0]
    assert result.rows[0].y == result.cells[0].middle[1]
    assert 0 < result.row_axis.y < result.height and 0 < result.column_axis.x < result.width


def test_a_cell_says_its_value_and_is_shaded_by_it() -> None:
    first, last = plot().cells[0], plot().cells[-1]
    assert (first.mark, first.classes, first.title) == ("0.12", "like-1", "AEv(0, 1): R² 0.125")
    assert (last.mark, last.classes) == ("1.00", "like-10")


def test_what_is_upside_down_or_not_defined_says_so() -> None:
    values = [[0.5, math.nan]]
    result = grid_plot(values, (0.3,), (1, 2), upside_down=[[True, False]])
    opposed, undefined = result.cells
    assert (opposed.mark, opposed.classes) == ("\N{MINUS SIGN}0.50", "like-5 opposed")
    assert "upside down" in opposed.title
    assert (undefined.mark, undefined.classes) == ("", "undefined")
    assert undefined.title == "AEv(0.3, 2): not defined"


def test_the_best_cell_and_the_predicted_region_are_outlined() -> None:
    result = plot(best=(3, 1), predicted=(0, 2, 1, 2))
    predicted, best = result.outlines
    assert (predicted.kind, best.kind) == ("predicted", "best")
    cell = result.cells[3 * 4 + 1]
    assert (best.x, best.y) == (cell.x + 1.5, cell.y + 1.5)
    assert (best.width, best.height) == (WIDTH - 3, HEIGHT - 3)
    top = result.cells[2]  # alpha 0, N = 3
    assert (predicted.x, predicted.y) == (top.x - 1, top.y - 1)
    assert (predicted.width, predicted.height) == (3 * WIDTH + 2, 2 * HEIGHT + 2)
    assert cell.title.endswith("the best cell") and top.title.endswith("predicted")
    assert plot().outlines == []


def test_the_picture_is_described_in_words() -> None:
    result = plot(best=(3, 1), predicted=(0, 2, 1, 1))
    assert result.title == "R² over systems"
    assert "best cell is AEv(0.3, 2) with R² 0.400." in result.description
    assert result.description.endswith("Predicted: alpha from 0 to 0.2, N 2.")
    assert "No cell is the best." in plot().description


def test_notes_are_read_with_their_cells() -> None:
    notes = [[f"note {i} {k}" for k in range(4)] for i in range(11)]
    assert plot(notes=notes).cells[5].title == "AEv(0.1, 2): R² 0.300; note 1 1"


def test_every_shade_has_its_class() -> None:
    assert all(re.fullmatch(r"like-(\d|10)", cell.classes) for cell in plot().cells)


def test_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="must be 11 by 4"):
        grid_plot(VALUES[1:], ALPHAS, ORDERS)
    with pytest.raises(ValueError, match="must be 11 by 4"):
        plot(notes=[[""] * 3] * 11)
