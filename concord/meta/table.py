"""A leaderboard as one flat table: a row a metric and group, an empty cell where undefined."""

from __future__ import annotations

from typing import Any

from concord.formats.cells import harmless

COEFFICIENTS = ("pearson", "spearman", "kendall")
COLUMNS: tuple[str, ...] = (
    "judgment_set",
    "version",
    "by",
    "group",
    "metric",
    "multi_ref",
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
    "bootstrap_low",
    "bootstrap_high",
    "of_the_ceiling",
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


def rows(board: dict[str, Any]) -> list[list[Any]]:
    """The rows of a board (`Board.to_json()`) with their cells in the order of COLUMNS.

    A text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    return [_row(board, row) for row in board["rows"]]


def _row(board: dict[str, Any], row: dict[str, Any]) -> list[Any]:
    cells = [board["judgment_set"], board["version"], board["by"], row["group"]]
    cells += [row["metric"], row["multi_ref"], row["n"]]
    for coefficient in COEFFICIENTS:
        figure = row[coefficient]
        cells += [figure["value"], figure.get("p"), *_interval(figure)]
    pairs = row["pairs"]
    cells += [pairs["n"], pairs.get("accuracy"), *_interval(pairs)]
    standing, systems = row.get("standing") or {}, row.get("systems") or {}
    cells += [standing.get("group"), standing.get("rank"), *_interval(standing)]
    cells.append((standing.get("relative") or {}).get("value"))
    for name in ("kendall_b", "pairwise_accuracy", "soft_pairwise"):
        cells.append((systems.get(name) or {}).get("value"))
    judged = row.get("correctness") or {}
    for name in ("f1", "balanced_accuracy"):
        cells.append((judged.get(name) or {}).get("value"))
    cells += [row["items_per_second"], row["device"], row["signature"]]
    training = row.get("training") or {}
    cells += [training.get("setting"), training.get("share") if training.get("known") else None]
    return [harmless(cell) for cell in cells]


def _interval(figure: dict[str, Any]) -> tuple[Any, Any]:
    low, high = figure.get("ci") or (None, None)
    return low, high
