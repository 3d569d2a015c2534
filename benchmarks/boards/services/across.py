"""Metrics by judgment sets, or by the criteria of one: a coefficient of every metric in a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.analyses.leaderboards import leaderboard
from benchmarks.runs.services.listing import display_name
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from concord.documents.board import BoardRow, Ranking
from concord.metrics.signature import variant_suffix
from concord.tables.cells import csv_text, escape_latex, latex_table

MAX_SETS = 30
# Of the figures as shown. Figures that look equal have one shade.
DECIMALS = 3
# The name of the column of a set's score beside its criteria.
SCORE = "score"


@dataclass(frozen=True)
class ShadedValue:
    """One metric on one set. shade: 1 to 10, the tenth of the column's range; None without a
    value."""

    value: float | None
    is_best: bool = False
    shade: int | None = None


@dataclass(frozen=True)
class MetricAcrossSets:
    """mean: over the columns that every metric with a mean has; None where one is missing."""

    metric: str
    cells: list[ShadedValue]
    mean: ShadedValue


@dataclass(frozen=True)
class Column:
    """A set, one group of a set, or one criterion of a set; `name` is that of the column in
    files."""

    judgment_set: JudgmentSet
    group: str
    name: str


@dataclass(frozen=True)
class AcrossSets:
    """Rows by mean, best first; rows without a mean follow by name. mean_of: columns of the
    means; None for a table without means, whose rows are by the first column."""

    columns: list[Column]
    rows: list[MetricAcrossSets]
    mean_of: int | None


def metrics_by_sets(
    judgment_sets: Iterable[JudgmentSet], coefficient: Ranking, by: str | None = None
) -> AcrossSets:
    """The table over these sets, or over their groups of the grouping `by`.

    A metric's references are combined by the maximum where both ways were scored, as on a board.
    The mean is only over columns that all metrics have that occur in more than half of them:
    means over different columns would not be comparable.
    """
    columns: list[Column] = []
    values: list[dict[str, float]] = []
    for judgment_set in list(judgment_sets)[:MAX_SETS]:
        groups: dict[str, dict[str, float]] = {}
        for row in leaderboard(judgment_set, by).rows:
            value = row[coefficient]["value"]
            if value is not None:
                of_group = groups.setdefault(row["group"] or "", {})
                of_group.setdefault(_name(row), value)
        for group, figures in groups.items():
            name = f"{judgment_set} {group}" if group else str(judgment_set)
            columns.append(Column(judgment_set, group, name))
            values.append(figures)
    return _table(columns, values)


def metrics_by_criteria(judgment_set: JudgmentSet, coefficient: Ranking) -> AcrossSets:
    """The table over a set's criteria, after its score if it has one.

    Criteria are different questions, so there is no mean over them; rows are by the first column.
    """
    columns: list[Column] = []
    values: list[dict[str, float]] = []
    on_score = [] if criteria.default(judgment_set) else [judgment_set]
    for one in [*on_score, *criteria.on_each(judgment_set)]:
        figures: dict[str, float] = {}
        for row in leaderboard(one).rows:
            value = row[coefficient]["value"]
            if value is not None:
                figures.setdefault(_name(row), value)
        name = criteria.chosen(one)
        columns.append(Column(one, name, name or SCORE))
        values.append(figures)
    return _table(columns, values, with_mean=False)


def _table(
    columns: list[Column], values: list[dict[str, float]], *, with_mean: bool = True
) -> AcrossSets:
    """The table of the figures of each column by metric."""
    counts: dict[str, int] = {}
    for figures in values:
        for metric in figures:
            counts[metric] = counts.get(metric, 0) + 1
    frequent = [metric for metric, count in counts.items() if 2 * count > len(columns)]
    shared = [k for k, figures in enumerate(values) if all(m in figures for m in frequent)]
    means = {
        metric: float(np.mean([values[k][metric] for k in shared]))
        for metric in counts
        if with_mean and shared and all(metric in values[k] for k in shared)
    }
    ranked_by = means if with_mean else next(iter(values), {})
    ends_of_columns = [_ends(figures) for figures in values]
    ends_of_means = _ends(means)
    rows = [
        MetricAcrossSets(
            metric,
            [
                _cell(figures.get(metric), ends)
                for figures, ends in zip(values, ends_of_columns, strict=True)
            ],
            _cell(means.get(metric), ends_of_means),
        )
        for metric in sorted(counts, key=lambda name: (-ranked_by.get(name, -np.inf), name))
    ]
    return AcrossSets(columns, rows, len(shared) if with_mean else None)


def _name(row: BoardRow) -> str:
    return display_name(row["metric"], row["multi_ref"]) + variant_suffix(row["signature"])


def _ends(figures: Mapping[str, float]) -> tuple[float, float]:
    """The lowest and the highest figure of a column, as shown; zeros without any."""
    shown = [round(value, DECIMALS) for value in figures.values()]
    return min(shown, default=0.0), max(shown, default=0.0)


def _cell(value: float | None, ends: tuple[float, float]) -> ShadedValue:
    if value is None:
        return ShadedValue(None)
    low, high = ends
    shown = round(value, DECIMALS)
    shade = 5 if high == low else min(10, 1 + int(10 * (shown - low) / (high - low)))
    return ShadedValue(value, shown == high, shade)


def to_csv(table: AcrossSets) -> str:
    """Metrics as rows, sets or criteria as columns, and the mean last, if there is one."""
    names = [column.name for column in table.columns]
    header = ["metric", *names, *(["mean"] if table.mean_of is not None else [])]
    rows = ([row.metric, *(cell.value for cell in _cells(table, row))] for row in table.rows)
    return csv_text(header, rows)


def to_latex(table: AcrossSets) -> str:
    """A tabular of the package booktabs; the best of each column is bold."""
    columns = [column.name for column in table.columns]
    columns += ["Mean"] if table.mean_of is not None else []
    rows = ([escape_latex(row.metric), *map(_latex_cell, _cells(table, row))] for row in table.rows)
    header = ["Metric", *map(escape_latex, columns)]
    return latex_table(f"l{'r' * len(columns)}", header, rows)


def _cells(table: AcrossSets, row: MetricAcrossSets) -> list[ShadedValue]:
    return row.cells if table.mean_of is None else [*row.cells, row.mean]


def _latex_cell(cell: ShadedValue) -> str:
    if cell.value is None:
        return "--"
    text = f"{cell.value:.3f}".replace("-", "$-$")
    return rf"\textbf{{{text}}}" if cell.is_best else text
