"""Rows and plots of the page of correctness. No database access."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.analyses.kinds.correctness.computation import (
    CorrectnessResult,
    MetricCorrectness,
    MetricVerdicts,
    SystemValues,
)
from benchmarks.analyses.kinds.correctness.curves import Curves
from concord import plots
from concord.inference import Estimate
from concord.plots import CurvePlot, IntervalMark, IntervalScale
from concord.sentences import counted

SORTS = {
    "f1": "F1",
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "auc": "AUC",
}
MEASURES = {"p1": "P@1", "map": "MAP", "mrr": "MRR"}
FIGURES = ("f1", "precision", "recall", "accuracy", "balanced_accuracy", "auc")
PICKS = ("random", "fitted", "own")


@dataclass(frozen=True)
class VerdictRow:
    """A metric, or the baseline without a rank; `figure` is sorted by and drawn, `cells` are the
    figures by column."""

    row: MetricVerdicts
    rank: int | None
    figure: Estimate
    cells: list[tuple[str, Estimate]]


@dataclass(frozen=True)
class PickRow:
    """A metric with a figure of its picks as a mark on the scale of its table."""

    row: MetricCorrectness
    mark: IntervalMark | None
    cells: list[Estimate]


# Rows of a table with the scale of their marks.
PickTable = tuple[list[PickRow], IntervalScale]


def verdict_rows(result: CorrectnessResult, sort: str) -> list[VerdictRow]:
    """The metrics, best by `sort` first and undefined ones last."""
    rows = _sorted(result.metrics, sort)
    values = [value for row in rows if (value := getattr(row, sort).value) is not None]
    return [verdict_row(row, sort, values) for row in rows]


def verdict_row(row: MetricVerdicts, sort: str, values: list[float]) -> VerdictRow:
    """A row with its rank among `values`; without a rank where there are none."""
    figure: Estimate = getattr(row, sort)
    value = figure.value
    rank = None if value is None or not values else 1 + sum(one > value for one in values)
    return VerdictRow(row, rank, figure, [(name, getattr(row, name)) for name in FIGURES])


def _sorted(metrics: Iterable[MetricCorrectness], sort: str) -> list[MetricCorrectness]:
    return sorted(metrics, key=lambda row: _sort_key(getattr(row, sort), row.metric))


def by_error(result: CorrectnessResult) -> list[MetricCorrectness]:
    """The metrics, smallest error over systems of the first measure first."""
    measure = result.measures[0]

    def sort_key(row: MetricCorrectness) -> tuple[bool, float, str]:
        value = row.systems[measure].rmse.value
        return (value is None, value or 0.0, row.metric)

    return sorted(result.metrics, key=sort_key)


def by_pick(result: CorrectnessResult) -> PickTable:
    """The metrics as rerankers, best first."""
    rows = sorted(result.metrics, key=lambda row: _sort_key(row.reranked.picked, row.metric))
    figures = [row.reranked.picked for row in rows]
    figures += [result.reranking.chance, result.reranking.best]
    scale = IntervalScale.from_intervals(_ends(figures), zero=False)
    return [PickRow(row, _mark(row.reranked.picked, scale), []) for row in rows], scale


def by_survival(result: CorrectnessResult) -> PickTable:
    """The metrics by how much optimisation adds to their gap, smallest first. The scale includes
    zero."""

    def sort_key(row: MetricCorrectness) -> tuple[bool, float, str]:
        value = row.optimised.added.value
        return (value is None, abs(value or 0.0), row.metric)

    rows = sorted(result.metrics, key=sort_key)
    scale = IntervalScale.from_intervals(_ends(row.optimised.added for row in rows))
    return [PickRow(row, _mark(row.optimised.added, scale), _shares(row)) for row in rows], scale


def _shares(row: MetricCorrectness) -> list[Estimate]:
    """The shares of correct picks by the metric and by people, of each kind of picks."""
    picks = [getattr(row.optimised, name) for name in PICKS]
    return [*(share for one in picks for share in (one.metric, one.people)), row.optimised.labels]


def system_rows(
    result: CorrectnessResult, run: int
) -> list[tuple[SystemValues, list[tuple[float | None, float | None, float | None]]]]:
    """Systems, best by people first; a cell has people's value, the run's and their difference."""
    first = result.measures[0]
    rows = []
    for row in sorted(result.systems, key=lambda row: -(row.people[first] or 0.0)):
        estimated = row.metrics.get(str(run), {})
        cells = []
        for measure in result.measures:
            people, metric = row.people[measure], estimated.get(measure)
            difference = None if people is None or metric is None else metric - people
            cells.append((people, metric, difference))
        rows.append((row, cells))
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
