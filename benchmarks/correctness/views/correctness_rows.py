"""From figures of correctness to the rows and plots of their page. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.correctness.services import Curves
from concord import plots
from concord.plots import CurvePlot, IntervalMark, IntervalScale

FIGURES = {
    "f1": "F1",
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "auc": "AUC",
}
MEASURES = {"p1": "P@1", "map": "MAP", "mrr": "MRR"}


@dataclass(frozen=True)
class VerdictRow:
    """A metric on the page: `figure` is the one it is sorted by and drawn with; `cells` the others,
    in the page's order."""

    row: dict[str, Any]
    rank: int | None
    figure: dict[str, Any]
    mark: IntervalMark | None
    cells: list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class VerdictTable:
    """rows: best first, undefined last; always: what calling every answer correct reaches."""

    sort: str
    scale: IntervalScale
    rows: list[VerdictRow]
    always: VerdictRow


CELLS = ("f1", "precision", "recall", "accuracy", "balanced_accuracy", "auc")


def arrange(found: dict[str, Any], sort: str) -> VerdictTable:
    """The metrics of a result, best by `sort` first."""
    rows = sorted(found["metrics"], key=lambda row: _standing(row[sort], row["metric"]))
    every = [*rows, found["always"]]
    defined = [row[sort] for row in every if row[sort]["value"] is not None]
    ends = [tuple(one.get("ci") or (one["value"], one["value"])) for one in defined]
    scale = IntervalScale.over(min((low for low, _ in ends), default=0.0), 1.0)
    values = [row[sort]["value"] for row in rows if row[sort]["value"] is not None]
    return VerdictTable(
        sort,
        scale,
        [_row(row, sort, scale, values) for row in rows],
        _row(found["always"], sort, scale, []),
    )


def by_error(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The metrics with their errors over systems, least error of the first measure first."""
    measure = found["measures"][0]

    def standing(row: dict[str, Any]) -> tuple[bool, float, str]:
        value = row["systems"][measure]["rmse"]["value"]
        return (value is None, value or 0.0, row["metric"])

    return [
        row | {"errors": [(one, row["systems"][one]) for one in found["measures"]]}
        for row in sorted(found["metrics"], key=standing)
    ]


def by_pick(found: dict[str, Any]) -> tuple[list[dict[str, Any]], IntervalScale]:
    """The metrics as rerankers, best pick first, each with its mark, and the scale they share."""
    rows = sorted(
        found["metrics"], key=lambda row: _standing(row["reranked"]["picked"], row["metric"])
    )
    figures = [row["reranked"]["picked"] for row in rows]
    figures += [found["reranking"]["chance"], found["reranking"]["best"]]
    defined = [one for one in figures if one["value"] is not None]
    scale = IntervalScale.holding(
        (tuple(one.get("ci") or (one["value"], one["value"])) for one in defined), zero=False
    )
    return [row | {"mark": _mark(row["reranked"]["picked"], scale)} for row in rows], scale


def by_survival(found: dict[str, Any]) -> tuple[list[dict[str, Any]], IntervalScale]:
    """The metrics by the size of what optimising adds to their gap, least first, each with its mark
    and with the figures of its picks; and the scale they share, which holds zero."""

    def standing(row: dict[str, Any]) -> tuple[bool, float, str]:
        value = row["optimised"]["added"]["value"]
        return (value is None, abs(value or 0.0), row["metric"])

    rows = sorted(found["metrics"], key=standing)
    figures = [row["optimised"]["added"] for row in rows]
    defined = [one for one in figures if one["value"] is not None]
    scale = IntervalScale.holding(
        tuple(one.get("ci") or (one["value"], one["value"])) for one in defined
    )
    return [
        row
        | {
            "mark": _mark(row["optimised"]["added"], scale),
            "cells": [
                *(row["optimised"][picks][who] for picks, who in PICKED),
                row["optimised"]["labels"],
            ],
        }
        for row in rows
    ], scale


# The columns of the table: whose picks, and who says how many are correct.
PICKED = [(picks, who) for picks in ("random", "fitted", "own") for who in ("metric", "people")]


def systems_of(found: dict[str, Any], run: int) -> list[dict[str, Any]]:
    """Systems, best by people first, each with cells (people's, the run's, their difference) of
    every measure."""
    first = found["measures"][0]
    rows = []
    for row in sorted(found["systems"], key=lambda row: -(row["people"][first] or 0.0)):
        estimated = row["metrics"].get(str(run), {})
        cells = []
        for measure in found["measures"]:
            people, metric = row["people"][measure], estimated.get(measure)
            both = people is not None and metric is not None
            cells.append((people, metric, metric - people if both else None))
        rows.append(row | {"cells": cells})
    return rows


def curve_plots(curves: Curves, row: dict[str, Any]) -> dict[str, CurvePlot]:
    """The three plots of one metric, with the frozen threshold's place on the first two."""
    roc_at = recall_at = None
    counts = row["counts"]
    if counts is not None:
        right = counts["true_positive"] + counts["false_negative"]
        wrong = counts["false_positive"] + counts["true_negative"]
        recall = counts["true_positive"] / right
        roc_at = (counts["false_positive"] / wrong, recall)
        if row["precision"]["value"] is not None:
            recall_at = (recall, row["precision"]["value"])
    bins = curves.bins
    return {
        "roc": plots.roc_plot(
            curves.roc.x.tolist(), curves.roc.y.tolist(), area=row["auc"]["value"], at=roc_at
        ),
        "precision-recall": plots.precision_recall_plot(
            curves.precision_recall.x.tolist(),
            curves.precision_recall.y.tolist(),
            area=curves.average_precision,
            correct=curves.correct,
            at=recall_at,
        ),
        "reliability": plots.reliability_plot(
            [one.score for one in bins],
            [one.correct for one in bins],
            [one.ci for one in bins],
            [
                f"{one.n:,} answers, score {one.low:.3f} to {one.high:.3f}: "
                f"{one.correct:.3f} are correct"
                for one in bins
            ],
            probabilities=curves.ece.value is not None,
        ),
    }


def _row(row: dict[str, Any], sort: str, scale: IntervalScale, values: list[float]) -> VerdictRow:
    figure = row[sort]
    rank = 1 + sum(one > figure["value"] for one in values) if figure["value"] is not None else None
    return VerdictRow(
        row, rank, figure, _mark(figure, scale), [(name, row[name]) for name in CELLS]
    )


def _mark(figure: dict[str, Any], scale: IntervalScale) -> IntervalMark | None:
    if figure["value"] is None:
        return None
    ends = figure.get("ci")
    return scale.mark(figure["value"], (ends[0], ends[1]) if ends else None)


def _standing(figure: dict[str, Any], name: str) -> tuple[bool, float, str]:
    return (figure["value"] is None, -(figure["value"] or 0.0), name)
