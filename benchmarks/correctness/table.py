"""Figures of correctness as a file: complete as JSON, or a row for each metric as CSV."""

from __future__ import annotations

from datetime import datetime

from benchmarks.correctness.services.results import CorrectnessResult, MetricCorrectness
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.documents.conversion import to_json
from concord.formats.cells import Cell, csv_text
from concord.inference import Estimate

FIGURES = (
    "f1",
    "precision",
    "recall",
    "accuracy",
    "balanced_accuracy",
    "auc",
)
MEASURES = ("p1", "map", "mrr")
PICKS = ("random", "fitted", "own")
RERANKED = ("picked", "gain")
PICKS_FIGURES = ("metric", "people", "gap")
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
) -> dict[str, object]:
    """The result with the set's version and content hash."""
    return {
        "judgment_set": judgment_set.name,
        "version": judgment_set.version,
        "content_hash": hidden.content_hash(judgment_set),
        "illustrative": judgment_set.illustrative,
        "date": at.isoformat(timespec="seconds"),
        **to_json(result),
    }


def to_csv(judgment_set: JudgmentSet, result: CorrectnessResult, at: datetime) -> str:
    """A CSV table with COLUMNS; undefined figures are empty."""
    rows = [_cells(judgment_set, result, row, at) for row in result.metrics]
    return csv_text(COLUMNS, ([cells.get(column) for column in COLUMNS] for cells in rows))


def _cells(
    judgment_set: JudgmentSet, result: CorrectnessResult, row: MetricCorrectness, at: datetime
) -> dict[str, Cell]:
    parameters = result.parameters
    cells: dict[str, Cell] = {
        "metric": row.metric,
        "multi_ref": row.multi_ref,
        "threshold": row.threshold,
        "calls": row.calls,
        "signature": row.signature,
        "judgment_set": judgment_set.name,
        "version": judgment_set.version,
        "n": result.n.reported.answers,
        "gold_threshold": parameters.gold,
        "rule": parameters.rule,
        "tuned_on": parameters.tune,
        "reported": parameters.report,
        "estimate": parameters.estimate,
        "reason": row.reason,
        "seed": parameters.seed,
        "draws": parameters.draws,
        "date": at.isoformat(timespec="seconds"),
    }
    for name in FIGURES:
        cells |= _figure(name, getattr(row, name))
    for measure, errors in row.systems.items():
        cells |= {
            f"{measure}_rmse": errors.rmse.value,
            f"{measure}_sigma": errors.sigma,
            f"{measure}_kendall": errors.kendall.value,
            f"{measure}_kendall_p": errors.kendall.p,
        }
    for part in RERANKED:
        cells |= _figure(f"reranked_{part}", getattr(row.reranked, part))
    if optimised := row.optimised:
        for picks in PICKS:
            for name in PICKS_FIGURES:
                figure = getattr(getattr(optimised, picks), name)
                cells[f"optimised_{picks}_{name}"] = figure.value
        cells |= _figure("optimised_added", optimised.added)
        cells["optimised_labels_people"] = optimised.labels.value
    return cells | {"reranked_share": row.reranked.share.value}


def _figure(name: str, figure: Estimate) -> dict[str, Cell]:
    return {name: figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high}
