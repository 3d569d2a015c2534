"""From an agreement analysis to the rows, groups and squares of its page. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from concord.meta.documents.comparison import AgreementAnalysis, AgreementRow, PairTest
from concord.meta.documents.learning import LearningAnalysis
from concord.meta.json_values import Triangle, triangle_entry
from concord.plots import IntervalMark, IntervalScale, LinePlot, MatrixPlot, line_plot, matrix_plot

# How a test of pairs is asked for: by name, or as the comparison adjusts.
Test = Literal["adjusted", "perm-both", "paired-bootstrap", "williams"]
LEVELS = (0.001, 0.01, 0.05)
ROW = 20.0
HEAD = 58.0
TESTS: dict[Test, str] = {
    "adjusted": "PERM-BOTH, adjusted",
    "perm-both": "PERM-BOTH, each pair by itself",
    "paired-bootstrap": "paired bootstrap, each pair by itself",
    "williams": "Williams, each pair by itself",
}


@dataclass(frozen=True)
class ComparedMetric:
    """One metric, in the order of its figure. `at` is its place in the analysis."""

    at: int
    row: AgreementRow
    mark: IntervalMark | None


@dataclass(frozen=True)
class RankGroup:
    """Metrics that cannot be told apart; `number` is None for those without a figure."""

    number: int | None
    metrics: list[ComparedMetric]


@dataclass(frozen=True)
class ForestRow:
    """One metric of the printed forest plot, in pixels."""

    name: str
    group: str
    y: float
    value: float
    ci: list[float] | None
    mark: IntervalMark

    @property
    def top(self) -> float:
        return self.y - ROW / 2


@dataclass(frozen=True)
class Forest:
    """The printed forest plot; rules part the rank groups."""

    rows: list[ForestRow]
    rules: list[float]
    bottom: float
    height: float


@dataclass(frozen=True)
class ComparedPair:
    """One metric against another: how much better it is, with p-value and 95% interval."""

    one: str
    other: str
    delta: float
    p: float | None
    ci: tuple[float, float] | None


@dataclass(frozen=True)
class Compared:
    """What the page shows of one analysis."""

    scale: IntervalScale
    groups: list[RankGroup]
    matrix: MatrixPlot
    table: list[tuple[ComparedMetric, list[ComparedPair | None]]]
    similarity: MatrixPlot
    test: Test
    tests: dict[Test, str]


def arrange(result: AgreementAnalysis, test: str = "adjusted") -> Compared:
    """Lay out a result of the kind "agreement"; `test` is one of TESTS."""
    rows = result["metrics"]
    scale = IntervalScale.from_intervals(
        row["ci"] or [row["value"]] for row in rows if row["value"] is not None
    )
    order = sorted(
        range(len(rows)),
        key=lambda at: (rows[at]["value"] is None, -(rows[at]["value"] or 0.0), rows[at]["metric"]),
    )
    ordered = [ComparedMetric(at, rows[at], _mark(rows[at], scale)) for at in order]
    groups: list[RankGroup] = []
    for one in ordered:
        number = one.row["group"]
        if not groups or groups[-1].number != number:
            groups.append(RankGroup(number, []))
        groups[-1].metrics.append(one)
    ranked = [one for one in ordered if one.row["value"] is not None]
    chosen: Test = next((name for name in TESTS if name == test), "adjusted")
    p = _tested(result, chosen)
    table = [(one, [_pair(result, p, one, other) for other in ranked]) for one in ranked]
    borders = [
        place
        for place in range(1, len(ranked))
        if ranked[place].row["group"] != ranked[place - 1].row["group"]
    ]
    names = [label(one.row) for one in ranked]
    return Compared(
        scale,
        groups,
        matrix_plot(names, [[_cell(pair) for pair in pairs] for _, pairs in table], borders),
        table,
        matrix_plot(names, _similarity(result, ranked, names)),
        chosen,
        {
            name: told
            for name, told in TESTS.items()
            if name == "adjusted" or name in result["tests"]
        },
    )


def forest(compared: Compared) -> Forest:
    """The ranks as one printed plot, without the metrics that have no figure."""
    rows: list[ForestRow] = []
    rules: list[float] = []
    y = HEAD
    for group in compared.groups:
        defined = [one for one in group.metrics if one.mark is not None]
        for place, one in enumerate(defined):
            if rows and not place:
                rules.append(y - ROW / 2)
            assert one.mark is not None
            number = f"group {group.number}" if not place else ""
            value, ci = one.row["value"], one.row["ci"]
            assert value is not None
            rows.append(ForestRow(label(one.row), number, y, value, ci, one.mark))
            y += ROW
    return Forest(rows, rules, y - ROW / 2, y + ROW / 2)


def label(row: AgreementRow) -> str:
    """A metric's name, and its way with several references where that is not the usual."""
    return f"{row['metric']}{' joint' if row['multi_ref'] == 'joint' else ''}"


def learning_plot(result: LearningAnalysis) -> LinePlot | None:
    """The learning curve of a result of the kind "learning"; None without a defined point."""
    points = [
        (row, agreement, low, high, same_best)
        for row in result["points"]
        if (agreement := row["agreement"]) is not None
        and (low := row["low"]) is not None
        and (high := row["high"]) is not None
        and (same_best := row["same_best"]) is not None
    ]
    if not points:
        return None
    return line_plot(
        [row["passages"] for row, *_ in points],
        [agreement for _, agreement, *_ in points],
        [low for _, _, low, _, _ in points],
        [high for _, _, _, high, _ in points],
        [
            f"{row['passages']} passages ({row['candidates']:.0f} candidates): tau "
            f"{agreement:.2f}, the same metric first in {100 * same_best:.0f}%"
            for row, agreement, _, _, same_best in points
        ],
        x_name="passages in each of two studies",
        y_name="agreement of their rankings (\N{GREEK SMALL LETTER TAU})",
    )


def _mark(row: AgreementRow, scale: IntervalScale) -> IntervalMark | None:
    return None if row["value"] is None else scale.mark(row["value"], row["ci"])


def _tested(result: AgreementAnalysis, test: Test) -> Triangle:
    name: PairTest = result["adjusted_by"] if test == "adjusted" else test
    return result["tests"].get(name) or result["tests"]["perm-both"]


def _pair(
    result: AgreementAnalysis, p: Triangle, one: ComparedMetric, other: ComparedMetric
) -> ComparedPair | None:
    """How `one` compares with `other`, both of which have a figure; None for the same metric."""
    if one.at == other.at:
        return None
    low = triangle_entry(result["tests"]["low"], one.at, other.at)
    high = triangle_entry(result["tests"]["high"], one.at, other.at)
    if low is None or high is None:
        ci = None
    else:
        ci = (-high, -low) if one.at < other.at else (low, high)
    value, against = one.row["value"], other.row["value"]
    assert value is not None and against is not None
    p_value = triangle_entry(p, one.at, other.at)
    return ComparedPair(label(one.row), label(other.row), value - against, p_value, ci)


def _cell(pair: ComparedPair | None) -> tuple[str, str, str] | None:
    if pair is None:
        return ("same", "", "")
    p, delta = pair.p, pair.delta
    told = f"{pair.one} against {pair.other}: difference {delta:+.3f}"
    if pair.ci:
        told += f", 95% {pair.ci[0]:+.3f} to {pair.ci[1]:+.3f}"
    if p is None:
        return ("unknown", "", told)
    told += f", p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}".replace("-", "\N{MINUS SIGN}")
    strength = sum(p <= level for level in LEVELS)
    if not strength:
        return ("apart-0", "", told)
    side = "better" if delta > 0 else "worse"
    return (f"{side} apart-{strength}", "+" if delta > 0 else "\N{MINUS SIGN}", told)


def _similarity(
    result: AgreementAnalysis, ranked: list[ComparedMetric], names: list[str]
) -> list[list[tuple[str, str, str] | None]]:
    between = result["between_metrics"]
    rows: list[list[tuple[str, str, str] | None]] = []
    for i, one in enumerate(ranked):
        row: list[tuple[str, str, str] | None] = []
        for j, other in enumerate(ranked):
            r = 1.0 if i == j else triangle_entry(between, one.at, other.at)
            if r is None:
                row.append(("unknown", "", f"{names[i]} and {names[j]}: undefined"))
                continue
            shade = max(0, min(10, round(10 * abs(r))))
            mark = f"{abs(r):.2f}"[1:] if i != j else ""
            row.append(
                (f"like-{shade}{' opposed' if r < 0 else ''}", mark,
                 f"{names[i]} and {names[j]}: r = {r:.3f}")
            )  # fmt: skip
        rows.append(row)
    return rows
