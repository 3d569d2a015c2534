"""Rows and plots of the page of correctness. No database access."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from benchmarks.correctness.services import Curves
from benchmarks.correctness.services.results import (
    CorrectnessResult,
    MetricCorrectness,
    MetricVerdicts,
    SystemValues,
)
from concord import plots
from concord.inference import Estimate
from concord.meta.correctness import Survival, SystemErrors
from concord.plots import CurvePlot, IntervalMark, IntervalScale
from concord.sentences import counted

FIGURES = {
    "f1": "F1",
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "auc": "AUC",
}
MEASURES = {"p1": "P@1", "map": "MAP", "mrr": "MRR"}
Row = TypeVar("Row", bound=MetricVerdicts)


@dataclass(frozen=True, kw_only=True)
class ErrorRow(MetricCorrectness):
    errors: list[tuple[str, SystemErrors]]


@dataclass(frozen=True, kw_only=True)
class PickRow(MetricCorrectness):
    mark: IntervalMark | None


@dataclass(frozen=True, kw_only=True)
class SurvivalPickRow(PickRow):
    cells: list[Estimate]


@dataclass(frozen=True, kw_only=True)
class SystemCells(SystemValues):
    cells: list[tuple[float | None, float | None, float | None]]


@dataclass(frozen=True)
class VerdictRow(Generic[Row]):
    """A metric on the page; `figure` is sorted by and drawn, `cells` are the figures by column."""

    row: Row
    rank: int | None
    figure: Estimate
    mark: IntervalMark | None
    cells: list[tuple[str, Estimate]]


@dataclass(frozen=True)
class VerdictTable:
    """rows: best first, undefined last; always: the baseline that calls every answer correct."""

    sort: str
    scale: IntervalScale
    rows: list[VerdictRow[MetricCorrectness]]
    always: VerdictRow[MetricVerdicts]


CELLS = (
    "f1",
    "precision",
    "recall",
    "accuracy",
    "balanced_accuracy",
    "auc",
)


def arrange(result: CorrectnessResult, sort: str) -> VerdictTable:
    """The table of the metrics, best by `sort` first."""
    rows = sorted(result.metrics, key=lambda row: _sort_key(getattr(row, sort), row.metric))
    plotted: list[MetricVerdicts] = [*rows, result.always]
    scale = IntervalScale.from_range(
        min((low for low, _ in _ends(getattr(row, sort) for row in plotted)), default=0.0), 1.0
    )
    values = [value for row in rows if (value := getattr(row, sort).value) is not None]
    return VerdictTable(
        sort,
        scale,
        [_row(row, sort, scale, values) for row in rows],
        _row(result.always, sort, scale, []),
    )


def by_error(result: CorrectnessResult) -> list[ErrorRow]:
    """The metrics with their errors over systems, smallest error of the first measure first."""
    measure = result.measures[0]

    def sort_key(row: MetricCorrectness) -> tuple[bool, float, str]:
        value = row.systems[measure].rmse.value
        return (value is None, value or 0.0, row.metric)

    return [
        ErrorRow(**vars(row), errors=[(one, row.systems[one]) for one in result.measures])
        for row in sorted(result.metrics, key=sort_key)
    ]


def by_pick(result: CorrectnessResult) -> tuple[list[PickRow], IntervalScale]:
    """The metrics as rerankers, best first, and the scale of their marks."""
    rows = sorted(result.metrics, key=lambda row: _sort_key(row.reranked.picked, row.metric))
    figures = [row.reranked.picked for row in rows]
    figures += [result.reranking.chance, result.reranking.best]
    scale = IntervalScale.from_intervals(_ends(figures), zero=False)
    return [PickRow(**vars(row), mark=_mark(row.reranked.picked, scale)) for row in rows], scale


def by_survival(result: CorrectnessResult) -> tuple[list[SurvivalPickRow], IntervalScale]:
    """The metrics by how much optimisation adds to their gap, smallest first.

    The second result is the scale of their marks, which includes zero.
    """

    def sort_key(row: tuple[MetricCorrectness, Survival]) -> tuple[bool, float, str]:
        value = row[1].added.value
        return (value is None, abs(value or 0.0), row[0].metric)

    pairs = [(row, row.optimised) for row in result.metrics if row.optimised is not None]
    rows = sorted(pairs, key=sort_key)
    scale = IntervalScale.from_intervals(_ends(survival.added for _, survival in rows))
    return [
        SurvivalPickRow(
            **vars(row),
            mark=_mark(survival.added, scale),
            cells=[
                *(
                    getattr(picks, name)
                    for picks in (survival.random, survival.fitted, survival.own)
                    for name in ("metric", "people")
                ),
                survival.labels,
            ],
        )
        for row, survival in rows
    ], scale


def system_rows(result: CorrectnessResult, run: int) -> list[SystemCells]:
    """Systems, best by people first; a cell has people's value, the run's and their difference."""
    first = result.measures[0]
    rows: list[SystemCells] = []
    for row in sorted(result.systems, key=lambda row: -(row.people[first] or 0.0)):
        estimated = row.metrics.get(str(run), {})
        cells = []
        for measure in result.measures:
            people, metric = row.people[measure], estimated.get(measure)
            difference = None if people is None or metric is None else metric - people
            cells.append((people, metric, difference))
        rows.append(SystemCells(**vars(row), cells=cells))
    return rows


def curve_plots(curves: Curves, row: MetricCorrectness) -> dict[str, CurvePlot]:
    """The three plots of a metric; the first two mark its tuned threshold."""
    roc_point = recall_point = None
    counts = row.counts
    if counts is not None:
        positives = counts.true_positive + counts.false_negative
        negatives = counts.false_positive + counts.true_negative
        recall = counts.true_positive / positives
        roc_point = (counts.false_positive / negatives, recall)
        if row.precision.value is not None:
            recall_point = (recall, row.precision.value)
    bins = curves.calibration.bins
    area = row.auc.value
    assert area is not None  # undefined only without curves
    return {
        "roc": plots.roc_plot(
            curves.roc.x.tolist(), curves.roc.y.tolist(), area=area, at=roc_point
        ),
        "precision-recall": plots.precision_recall_plot(
            curves.precision_recall.x.tolist(),
            curves.precision_recall.y.tolist(),
            area=curves.average_precision,
            correct=curves.correct,
            at=recall_point,
        ),
        "reliability": plots.reliability_plot(
            [one.grade for one in bins],
            [one.gold.value or 0.0 for one in bins],
            [one.gold.ci or (one.gold.value or 0.0,) * 2 for one in bins],
            [
                f"{counted(one.n, 'answer')}, score {one.low:.3f} to {one.high:.3f}: "
                f"{one.gold.value:.3f} are correct"
                for one in bins
            ],
            probabilities=curves.calibration.error.value is not None,
        ),
    }


def _row(row: Row, sort: str, scale: IntervalScale, values: list[float]) -> VerdictRow[Row]:
    figure: Estimate = getattr(row, sort)
    value = figure.value
    rank = None if value is None else 1 + sum(one > value for one in values)
    return VerdictRow(
        row, rank, figure, _mark(figure, scale), [(name, getattr(row, name)) for name in CELLS]
    )


def _ends(figures: Iterable[Estimate]) -> Iterator[tuple[float, float]]:
    """The ends of the defined figures' intervals; the figure itself where it has no interval."""
    for figure in figures:
        value = figure.value
        if value is not None:
            low, high = figure.ci or (value, value)
            yield low, high


def _mark(figure: Estimate, scale: IntervalScale) -> IntervalMark | None:
    return None if figure.value is None else scale.mark(figure.value, figure.ci)


def _sort_key(figure: Estimate, name: str) -> tuple[bool, float, str]:
    return (figure.value is None, -(figure.value or 0.0), name)
