"""Figures of correctness as a file: complete as JSON, or a row for each metric as CSV."""

from __future__ import annotations

import csv
import io
from datetime import datetime

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.documents.correctness import (
    CorrectnessDocument,
    CorrectnessResult,
    MetricRow,
    PickKind,
    PicksFigure,
    PointFigure,
    RerankingFigure,
)
from concord.documents.figures import FigureRow
from concord.formats.cells import Cell, escape_formula

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
PICKS_FIGURES: tuple[PicksFigure, ...] = ("metric", "people", "gap")
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
    *(f"optimised_{picks}_{name}" for picks in PICKS for name in PICKS_FIGURES),
    *(f"optimised_added{part}" for part in ("", "_low", "_high")),
    "optimised_labels_people",
    "reason",
    "seed",
    "draws",
    "date",
    "signature",
)


def document(
    judgment_set: JudgmentSet, result: CorrectnessResult, at: datetime
) -> CorrectnessDocument:
    """The result with the set's version and content hash."""
    return {
        "judgment_set": judgment_set.name,
        "version": judgment_set.version,
        "content_hash": hidden.content_hash(judgment_set),
        "illustrative": judgment_set.illustrative,
        "date": at.isoformat(timespec="seconds"),
        **result,
    }


def csv_text(judgment_set: JudgmentSet, result: CorrectnessResult, at: datetime) -> str:
    """A CSV table with COLUMNS; undefined figures are empty, spreadsheet formulas escaped."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in result["metrics"]:
        cells = _cells(judgment_set, result, row, at)
        writer.writerow([escape_formula(cells.get(column)) for column in COLUMNS])
    return text.getvalue()


def _cells(
    judgment_set: JudgmentSet, result: CorrectnessResult, row: MetricRow, at: datetime
) -> dict[str, Cell]:
    parameters = result["parameters"]
    cells: dict[str, Cell] = {
        "metric": row["metric"],
        "multi_ref": row["multi_ref"],
        "threshold": row["threshold"],
        "calls": row["calls"],
        "signature": row["signature"],
        "judgment_set": judgment_set.name,
        "version": judgment_set.version,
        "n": result["n"]["reported"]["answers"],
        "gold_threshold": parameters["gold"],
        "rule": parameters["rule"],
        "tuned_on": parameters["tune"],
        "reported": parameters["report"],
        "estimate": parameters["estimate"],
        "reason": row["reason"],
        "seed": parameters["seed"],
        "draws": parameters["draws"],
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
        for figure in PICKS_FIGURES:
            cells[f"optimised_{picks}_{figure}"] = optimised[picks][figure]["value"]
    cells |= _figure("optimised_added", optimised["added"])
    cells["optimised_labels_people"] = optimised["labels"]["value"]
    return cells | {"reranked_share": row["reranked"]["share"]["value"]}


def _figure(name: str, figure: FigureRow) -> dict[str, Cell]:
    low, high = figure.get("ci") or (None, None)
    return {name: figure["value"], f"{name}_low": low, f"{name}_high": high}
