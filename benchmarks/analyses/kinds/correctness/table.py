"""Figures of correctness as a file: complete as JSON, or a row for each metric as CSV."""

from __future__ import annotations

from benchmarks.analyses.kinds.correctness.computation import (
    CorrectnessResult,
    MetricCorrectness,
)
from benchmarks.analyses.kinds.correctness.rows import FIGURES, MEASURES, PICKS
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.documents.conversion import to_json
from concord.inference import Estimate
from concord.tables.cells import Cell, csv_text

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


def document(judgment_set: JudgmentSet, result: CorrectnessResult, date: str) -> dict[str, object]:
    """The result with the set's version and content hash."""
    return {
        "judgment_set": judgment_set.name,
        "version": judgment_set.version,
        "content_hash": hidden.content_hash(judgment_set),
        "illustrative": judgment_set.illustrative,
        "date": date,
        **to_json(result),
    }


def to_csv(judgment_set: JudgmentSet, result: CorrectnessResult, date: str) -> str:
    """A CSV table with COLUMNS; undefined figures are empty."""
    rows = [_cells(judgment_set, result, row, date) for row in result.metrics]
    return csv_text(COLUMNS, ([cells.get(column) for column in COLUMNS] for cells in rows))


def _cells(
    judgment_set: JudgmentSet, result: CorrectnessResult, row: MetricCorrectness, date: str
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
        "date": date,
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
    for picks in PICKS:
        for name in PICKS_FIGURES:
            figure = getattr(getattr(row.optimised, picks), name)
            cells[f"optimised_{picks}_{name}"] = figure.value
    cells |= _figure("optimised_added", row.optimised.added)
    cells["optimised_labels_people"] = row.optimised.labels.value
    return cells | {"reranked_share": row.reranked.share.value}


def _figure(name: str, figure: Estimate) -> dict[str, Cell]:
    return {name: figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high}
