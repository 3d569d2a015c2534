"""Figures of correctness as files: JSON whole, CSV a row a metric."""

from __future__ import annotations

import csv
import io
from datetime import datetime

from benchmarks.correctness.documents import (
    CorrectnessDocument,
    CorrectnessResult,
    MetricRow,
    PickKind,
    PicksFigure,
    PointFigure,
    RerankingFigure,
)
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.formats.cells import Cell, escape_formula
from concord.meta.documents.figures import FigureRow

FIGURES: tuple[PointFigure, ...] = (
    "f1",
    "precision",
    "recall",
    "accuracy",
    "balanced_accuracy",
    "auc",
)
MEASURES = ("p1", "map", "mrr")
PICKS: tuple[PickKind, ...] = ("random", "fitted", "own")
RERANKED: tuple[RerankingFigure, ...] = ("picked", "gain")
WHOSE: tuple[PicksFigure, ...] = ("metric", "people", "gap")
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
    *(f"reranked_{name}{part}" for name in RERANKED for part in ("", "_low", "_high")),
    "reranked_share",
    *(f"optimised_{picks}_{name}" for picks in PICKS for name in WHOSE),
    *(f"optimised_added{part}" for part in ("", "_low", "_high")),
    "optimised_labels_people",
    "reason",
    "seed",
    "draws",
    "date",
    "signature",
)


def document(
    judgment_set: JudgmentSet, found: CorrectnessResult, at: datetime
) -> CorrectnessDocument:
    """Everything, with what fixes it."""
    return {
        "judgment_set": judgment_set.name,
        "version": judgment_set.version,
        "content_hash": hidden.content_hash(judgment_set),
        "illustrative": judgment_set.illustrative,
        "date": at.isoformat(timespec="seconds"),
        **found,
    }


def csv_text(judgment_set: JudgmentSet, found: CorrectnessResult, at: datetime) -> str:
    """COLUMNS and a row a metric; an empty cell where a figure is undefined, and a text that a
    spreadsheet would run as a formula gets an apostrophe in front."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in found["metrics"]:
        cells = _cells(judgment_set, found, row, at)
        writer.writerow([escape_formula(cells.get(column)) for column in COLUMNS])
    return text.getvalue()


def _cells(
    judgment_set: JudgmentSet, found: CorrectnessResult, row: MetricRow, at: datetime
) -> dict[str, Cell]:
    asked = found["parameters"]
    cells: dict[str, Cell] = {
        "metric": row["metric"],
        "multi_ref": row["multi_ref"],
        "threshold": row["threshold"],
        "calls": row["calls"],
        "signature": row["signature"],
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
    for part in RERANKED:
        cells |= _figure(f"reranked_{part}", row["reranked"][part])
    optimised = row["optimised"]
    for picks in PICKS:
        for whose in WHOSE:
            cells[f"optimised_{picks}_{whose}"] = optimised[picks][whose]["value"]
    cells |= _figure("optimised_added", optimised["added"])
    cells["optimised_labels_people"] = optimised["labels"]["value"]
    return cells | {"reranked_share": row["reranked"]["share"]["value"]}


def _figure(name: str, figure: FigureRow) -> dict[str, Cell]:
    low, high = figure.get("ci") or (None, None)
    return {name: figure["value"], f"{name}_low": low, f"{name}_high": high}
