"""Rows, groups and plots of the page of an agreement analysis. No database access."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from benchmarks.analyses.kinds.learning import LearningAnalysis
from concord.documents.comparison import AgreementAnalysis, AgreementRow
from concord.meta.comparing import separating_test
from concord.meta.json_values import Triangle, triangle_entry
from concord.plots import IntervalMark, IntervalScale, LinePlot, MatrixPlot, line_plot, matrix_plot
from concord.sentences import decimal, interval_text

# A test of two metrics: that of the ranks, adjusted for the number of pairs, or a test by name.
Test = Literal["adjusted", "perm-both", "paired-bootstrap", "jackknife", "williams"]
LEVELS = (0.001, 0.01, 0.05)
ROW = 20.0
HEAD = 58.0
TESTS: dict[Test, str] = {
    "adjusted": "adjusted for the number of pairs",
    "perm-both": "PERM-BOTH, each pair by itself",
    "paired-bootstrap": "paired bootstrap, each pair by itself",
    "jackknife": "jackknife, each pair by itself",
    "williams": "Williams, each pair by itself; takes candidates as independent",
}


@dataclass(frozen=True)
class ComparedMetric:
    """One metric; `index` is its position in the analysis."""

    index: int
    row: AgreementRow
    mark: IntervalMark | None


@dataclass(frozen=True)
class ForestRow:
    """One metric of the printed forest plot, in pixels."""

    name: str
    rank: int | None
    y: float
    value: float
    ci: list[float] | None
    mark: IntervalMark

    @property
    def top(self) -> float:
        return self.y - ROW / 2


@dataclass(frozen=True)
class Forest:
    """The printed forest plot."""

    rows: list[ForestRow]
    bottom: float
    height: float


@dataclass(frozen=True)
class ComparedPair:
    """One metric against another: how much better it is, with the 95% interval and the p-value of
    one method for this pair by itself, and the p-value of the chosen test, of the name `method`.
    note: why there is no interval; else empty."""

    one: str
    other: str
    delta: float
    ci: tuple[float, float] | None
    p: float | None
    tested_p: float | None
    method: str
    note: str


@dataclass(frozen=True)
class ComparisonPage:
    """The contents of the page of one analysis."""

    scale: IntervalScale
    metrics: list[ComparedMetric]
    matrix: MatrixPlot
    table: list[tuple[ComparedMetric, list[ComparedPair | None]]]
    similarity: MatrixPlot
    test: Test
    tests: dict[Test, str]

    @property
    def top(self) -> list[str]:
        """The metrics that are not shown to differ from the first, which comes first."""
        return [label(one.row) for one in self.metrics if one.row["top"]]


def arrange(result: AgreementAnalysis, test: str = "adjusted") -> ComparisonPage:
    """Lay out a result of the kind "agreement" by the test `test`; by the adjusted one, where the
    result does not have it: Williams' is of Pearson's r only."""
    rows = result["metrics"]
    scale = IntervalScale.from_intervals(
        row["ci"] or [row["value"]] for row in rows if row["value"] is not None
    )
    order = sorted(
        range(len(rows)),
        key=lambda i: (rows[i]["value"] is None, -(rows[i]["value"] or 0.0), rows[i]["metric"]),
    )
    sorted_metrics = [ComparedMetric(i, rows[i], _mark(rows[i], scale)) for i in order]
    ranked = [one for one in sorted_metrics if one.row["value"] is not None]
    tests = {
        name: title
        for name, title in TESTS.items()
        if name == "adjusted" or name in result["tests"]
    }
    valid_test: Test = next((name for name in tests if name == test), "adjusted")
    table = [(one, [_pair(result, valid_test, one, other) for other in ranked]) for one in ranked]
    names = [label(one.row) for one in ranked]
    return ComparisonPage(
        scale,
        sorted_metrics,
        matrix_plot(names, [[_cell(pair) for pair in pairs] for _, pairs in table]),
        table,
        matrix_plot(names, _similarity(result, ranked, names)),
        valid_test,
        tests,
    )


def forest(comparison: ComparisonPage) -> Forest:
    """The metrics as one printed plot, without those that have no figure."""
    rows: list[ForestRow] = []
    for one in comparison.metrics:
        value = one.row["value"]
        if one.mark is not None and value is not None:
            y = HEAD + ROW * len(rows)
            row = ForestRow(label(one.row), one.row["rank"], y, value, one.row["ci"], one.mark)
            rows.append(row)
    bottom = HEAD + ROW * len(rows) - ROW / 2
    return Forest(rows, bottom, bottom + ROW)


def label(row: AgreementRow) -> str:
    """A metric's name, with "joint" if it combines references in its own way."""
    return f"{row['metric']}{' joint' if row['multi_ref'] == 'joint' else ''}"


def learning_plot(result: LearningAnalysis) -> LinePlot | None:
    """The learning curve of a result of the kind "learning"; None without a defined point."""
    points = [
        (row, agreement, low, high, same_best)
        for row in result.points
        if (agreement := row.agreement) is not None
        and (low := row.low) is not None
        and (high := row.high) is not None
        and (same_best := row.same_best) is not None
    ]
    if not points:
        return None
    return line_plot(
        [row.passages for row, *_ in points],
        [agreement for _, agreement, *_ in points],
        ([low for _, _, low, _, _ in points], [high for _, _, _, high, _ in points]),
        [
            f"{row.passages} passages ({row.candidates:.0f} candidates): tau "
            f"{agreement:.2f}, the same metric first in {100 * same_best:.0f}%"
            for row, agreement, _, _, same_best in points
        ],
        x_name="passages in each of two studies",
        y_name="agreement of their rankings (\N{GREEK SMALL LETTER TAU})",
    )


def compared_runs(
    result: AgreementAnalysis, one: int, other: int, test: Test = "adjusted"
) -> ComparedPair | None:
    """The comparison of two metric runs; None where a run is not in the result or has no figure."""
    by_run = {row["run"]: ComparedMetric(i, row, None) for i, row in enumerate(result["metrics"])}
    first, second = by_run.get(one), by_run.get(other)
    if first is None or second is None:
        return None
    if first.row["value"] is None or second.row["value"] is None:
        return None
    return _pair(result, test, first, second)


def _mark(row: AgreementRow, scale: IntervalScale) -> IntervalMark | None:
    return None if row["value"] is None else scale.mark(row["value"], row["ci"])


def _pair(
    result: AgreementAnalysis, test: Test, one: ComparedMetric, other: ComparedMetric
) -> ComparedPair | None:
    """The comparison of two metrics with figures; None for a metric with itself."""
    if one.index == other.index:
        return None
    tests = cast(Mapping[str, Triangle], result["tests"])

    def entry(name: str) -> float | None:
        return triangle_entry(tests[name], one.index, other.index)

    low, high = entry("low"), entry("high")
    if low is None or high is None:
        ci = None
    else:
        ci = (-high, -low) if one.index < other.index else (low, high)
    value, against = one.row["value"], other.row["value"]
    assert value is not None and against is not None
    method = TESTS[test]
    if test == "adjusted":
        method = f"{separating_test(result)}, {method}"
    reason = one.row.get("no_interval")
    return ComparedPair(
        label(one.row),
        label(other.row),
        value - against,
        ci,
        entry("paired-bootstrap" if "paired-bootstrap" in tests else "jackknife"),
        entry(result["adjusted_by"] if test == "adjusted" else test),
        method,
        f"no interval: {reason}" if ci is None and reason else "",
    )


def _cell(pair: ComparedPair | None) -> tuple[str, str, str] | None:
    if pair is None:
        return ("same", "", "")
    delta, p = pair.delta, pair.tested_p
    figures = f"difference {decimal(delta, sign='+')}"
    if pair.ci:
        figures += f", 95% {interval_text(pair.ci, sign='+')}"
    figures = figures.replace("-", "\N{MINUS SIGN}")
    title = f"{pair.one} against {pair.other}: {figures}"
    if pair.note:
        title += f"; {pair.note}"
    if p is None:
        return ("unknown", "", title)
    title += f"; p {'< 0.001' if p < 0.001 else f'= {p:.3f}'} ({pair.method})"
    strength = sum(p <= level for level in LEVELS)
    if not strength:
        return ("apart-0", "", title)
    side = "better" if delta > 0 else "worse"
    return (f"{side} apart-{strength}", "+" if delta > 0 else "\N{MINUS SIGN}", title)


def _similarity(
    result: AgreementAnalysis, ranked: list[ComparedMetric], names: list[str]
) -> list[list[tuple[str, str, str] | None]]:
    between = result["between_metrics"]
    rows: list[list[tuple[str, str, str] | None]] = []
    for i, one in enumerate(ranked):
        row: list[tuple[str, str, str] | None] = []
        for j, other in enumerate(ranked):
            r = 1.0 if i == j else triangle_entry(between, one.index, other.index)
            if r is None:
                row.append(("unknown", "", f"{names[i]} and {names[j]}: undefined"))
                continue
            shade = max(0, min(10, round(10 * abs(r))))
            mark = f"{abs(r):.2f}".removeprefix("0") if i != j else ""
            row.append(
                (f"like-{shade}{' opposed' if r < 0 else ''}", mark,
                 f"{names[i]} and {names[j]}: r = {r:.3f}")
            )  # fmt: skip
        rows.append(row)
    return rows
