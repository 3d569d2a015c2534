"""A leaderboard as a table: one row per metric and group; undefined cells are empty."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any, cast

from concord.documents.board import BoardDocument, BoardRow, Ranking

Cell = str | int | float | None
COEFFICIENTS: tuple[Ranking, ...] = ("pearson", "spearman", "kendall")
# The name of each column of a row, and its place in the row.
_PLACES: dict[str, tuple[str | int, ...]] = {
    **{name: (name,) for name in ("group", "metric", "multi_ref", "variant", "n")},
    **{
        f"{coefficient}{ending}": (coefficient, *place)
        for coefficient in COEFFICIENTS
        for ending, place in (
            ("", ("value",)), ("_p", ("p",)), ("_low", ("ci", 0)), ("_high", ("ci", 1))
        )
    },
    "pairs_n": ("pairs", "n"),
    "pairs_accuracy": ("pairs", "accuracy"),
    "pairs_low": ("pairs", "ci", 0),
    "pairs_high": ("pairs", "ci", 1),
    "rank_group": ("standing", "group"),
    "rank": ("standing", "rank"),
    "of_the_ceiling": ("standing", "relative", "value"),
    "of_the_ceiling_n": ("standing", "relative_n"),
    "systems_kendall": ("systems", "kendall_b", "value"),
    "systems_pairwise_accuracy": ("systems", "pairwise_accuracy", "value"),
    "systems_soft_pairwise": ("systems", "soft_pairwise", "value"),
    "f1": ("correctness", "f1", "value"),
    "balanced_accuracy": ("correctness", "balanced_accuracy", "value"),
    **{name: (name,) for name in ("items_per_second", "device", "signature")},
    "training_setting": ("training", "setting"),
    "trained_on": ("training", "share"),
}  # fmt: skip
COLUMNS: tuple[str, ...] = ("judgment_set", "version", "by", *_PLACES)


def table_rows(board: BoardDocument) -> list[list[Cell]]:
    """The rows of a board with their cells in the order of COLUMNS."""
    of_board: list[Cell] = [board.judgment_set, board.version, board.by]
    return [of_board + _cells(row) for row in board.rows]


def _cells(row: BoardRow) -> list[Cell]:
    cells: dict[str, Any] = {
        name: reduce(_inside, place, cast(Any, row)) for name, place in _PLACES.items()
    }
    if not _inside(row.get("training"), "known"):
        cells["trained_on"] = None
    return list(cells.values())


def _inside(value: Any, key: str | int) -> Any:
    """The value at the key; None where there is nothing."""
    if isinstance(value, Mapping):
        return value.get(key)
    return value[key] if value and isinstance(key, int) else None
