"""A leaderboard as a table: one row per metric and group; undefined cells are empty."""

from __future__ import annotations

from concord.documents.board import BoardDocument, BoardRow, Ranking
from concord.documents.figures import FigureRow
from concord.formats.cells import escape_formula

Cell = str | int | float | None
COEFFICIENTS: tuple[Ranking, ...] = ("pearson", "spearman", "kendall")
COLUMNS: tuple[str, ...] = (
    "judgment_set",
    "version",
    "by",
    "group",
    "metric",
    "multi_ref",
    "variant",
    "n",
    *(
        f"{coefficient}{part}"
        for coefficient in COEFFICIENTS
        for part in ("", "_p", "_low", "_high")
    ),
    "pairs_n",
    "pairs_accuracy",
    "pairs_low",
    "pairs_high",
    "rank_group",
    "rank",
    "of_the_ceiling",
    "of_the_ceiling_n",
    "systems_kendall",
    "systems_pairwise_accuracy",
    "systems_soft_pairwise",
    "f1",
    "balanced_accuracy",
    "items_per_second",
    "device",
    "signature",
    "training_setting",
    "trained_on",
)


def table_rows(board: BoardDocument) -> list[list[Cell]]:
    """The rows of a board with their cells in the order of COLUMNS.

    Text that a spreadsheet would run as a formula is escaped.
    """
    return [_row(board, row) for row in board.rows]


def _row(board: BoardDocument, row: BoardRow) -> list[Cell]:
    cells: list[Cell] = [board.judgment_set, board.version, board.by, row["group"]]
    cells += [row["metric"], row["multi_ref"], row["variant"], row["n"]]
    for coefficient in COEFFICIENTS:
        figure = row[coefficient]
        cells += [figure["value"], figure.get("p"), *_ends(figure.get("ci"))]
    pairs = row["pairs"]
    cells += [pairs["n"], pairs["accuracy"], *_ends(pairs.get("ci"))]
    standing = row.get("standing")
    if standing:
        cells += [standing["group"], standing["rank"]]
        cells += [_value(standing["relative"]), standing["relative_n"]]
    else:
        cells += [None] * 4
    systems = row.get("systems")
    if systems:
        cells += [systems["kendall_b"]["value"], systems["pairwise_accuracy"]["value"]]
        cells.append(systems["soft_pairwise"]["value"])
    else:
        cells += [None] * 3
    judged = row.get("correctness")
    cells.append(judged["f1"]["value"] if judged else None)
    cells.append(judged["balanced_accuracy"]["value"] if judged else None)
    cells += [row["items_per_second"], row["device"], row["signature"]]
    training = row.get("training")
    cells.append(training["setting"] if training else None)
    cells.append(training["share"] if training and training["known"] else None)
    return [escape_formula(cell) for cell in cells]


def _ends(interval: list[float] | None) -> tuple[float | None, float | None]:
    low, high = interval or (None, None)
    return low, high


def _value(figure: FigureRow | None) -> float | None:
    return figure["value"] if figure else None
