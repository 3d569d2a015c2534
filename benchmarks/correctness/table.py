"""Figures of correctness as files: JSON whole, CSV a row a metric."""

from __future__ import annotations

import csv
import io
from datetime import datetime
from typing import Any

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.formats.cells import harmless

FIGURES = ("f1", "precision", "recall", "accuracy", "balanced_accuracy", "auc")
MEASURES = ("p1", "map", "mrr")
PICKS = ("random", "fitted", "own")
COLUMNS: tuple[str, ...] = (
    "judgment_set",
    "version",
    "metric",
    "multi_ref",
    "n",
    "gold_threshold",
    "rule",
    "tuned_on",
    "reported",
    "threshold",
    "calls",
    *(f"{name}{part}" for name in FIGURES for part in ("", "_low", "_high")),
    "estimate",
    *(
        f"{measure}_{part}"
        for measure in MEASURES
        for part in ("rmse", "sigma", "kendall", "kendall_p")
    ),
    *(f"reranked_{name}{part}" for name in ("picked", "gain") for part in ("", "_low", "_high")),
    "reranked_share",
    *(f"optimised_{picks}_{name}" for picks in PICKS for name in ("metric", "people", "gap")),
    *(f"optimised_added{part}" for part in ("", "_low", "_high")),
    "optimised_labels_people",
    "reason",
    "seed",
    "draws",
    "date",
    "signature",
)


def document(judgment_set: JudgmentSet, found: dict[str, Any], at: datetime) -> dict[str, Any]:
    """Everything, with what fixes it."""
    return {
        "judgment_set": judgment_set.name,
        "version": judgment_set.version,
        "content_hash": hidden.content_hash(judgment_set),
        "illustrative": judgment_set.illustrative,
        "date": at.isoformat(timespec="seconds"),
        **found,
    }


def csv_text(judgment_set: JudgmentSet, found: dict[str, Any], at: datetime) -> str:
    """COLUMNS and a row a metric; an empty cell where a figure is undefined, and a text that a
    spreadsheet would run as a formula gets an apostrophe in front."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in found["metrics"]:
        cells = _cells(judgment_set, found, row, at)
        writer.writerow([harmless(cells.get(column)) for column in COLUMNS])
    return text.getvalue()


def _cells(
    judgment_set: JudgmentSet, found: dict[str, Any], row: dict[str, Any], at: datetime
) -> dict[str, Any]:
    asked = found["parameters"]
    cells = {name: row[name] for name in ("metric", "multi_ref", "threshold", "calls", "signature")}
    cells |= {
        "judgment_set": judgment_set.name,
        "version": judgment_set.version,
        "n": found["n"]["reported"]["answers"],
        "gold_threshold": asked["gold"],
        "rule": asked["rule"],
        "tuned_on": asked["tune"],
        "reported": asked["report"],
        "estimate": asked["estimate"],
        "reason": row["reason"],
        "seed": asked["seed"],
        "draws": asked["draws"],
        "date": at.isoformat(timespec="seconds"),
    }
    for name in FIGURES:
        cells |= _figure(name, row[name])
    for measure, errors in row["systems"].items():
        cells |= {
            f"{measure}_rmse": errors["rmse"]["value"],
            f"{measure}_sigma": errors["sigma"],
            f"{measure}_kendall": errors["kendall"]["value"],
            f"{measure}_kendall_p": errors["kendall"].get("p"),
        }
    for name in ("picked", "gain"):
        cells |= _figure(f"reranked_{name}", row["reranked"][name])
    optimised = row["optimised"]
    for picks in PICKS:
        for name, figure in optimised[picks].items():
            cells[f"optimised_{picks}_{name}"] = figure["value"]
    cells |= _figure("optimised_added", optimised["added"])
    cells["optimised_labels_people"] = optimised["labels"]["value"]
    return cells | {"reranked_share": row["reranked"]["share"]["value"]}


def _figure(name: str, figure: dict[str, Any]) -> dict[str, Any]:
    low, high = figure.get("ci") or (None, None)
    return {name: figure["value"], f"{name}_low": low, f"{name}_high": high}
