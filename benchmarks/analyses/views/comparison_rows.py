"""From an agreement analysis to the rows, groups and squares of its page. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from concord.meta.json_values import Triangle, entry
from concord.plots import IntervalMark, IntervalScale, LinePlot, MatrixPlot, line_plot, matrix_plot

LEVELS = (0.001, 0.01, 0.05)
ROW = 20.0
HEAD = 58.0
TESTS = {
    "adjusted": "PERM-BOTH, adjusted",
    "perm-both": "PERM-BOTH, each pair by itself",
    "paired-bootstrap": "paired bootstrap, each pair by itself",
    "williams": "Williams, each pair by itself",
}


@dataclass(frozen=True)
class ComparedMetric:
    """One metric, in the order of its figure. `at` is its place in the analysis."""

    at: int
    row: dict[str, Any]
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
class Compared:
    """What the page shows of one analysis."""

    scale: IntervalScale
    groups: list[RankGroup]
    matrix: MatrixPlot
    table: list[tuple[ComparedMetric, list[dict[str, Any] | None]]]
    similarity: MatrixPlot
    test: str
    tests: dict[str, str]


def arrange(result: dict[str, Any], test: str = "adjusted") -> Compared:
    """Lay out a result of the kind "agreement"; `test` is one of TESTS."""
    rows = result["metrics"]
    defined = [row for row in rows if row["value"] is not None]
    scale = IntervalScale.holding(
        tuple(row["ci"] or (row["value"], row["value"])) for row in defined
    )
    order = sorted(
        range(len(rows)),
        key=lambda at: (rows[at]["value"] is None, -(rows[at]["value"] or 0.0), rows[at]["metric"]),
    )
    ordered = [
        ComparedMetric(
            at,
            rows[at],
            None
            if rows[at]["value"] is None
            else scale.mark(rows[at]["value"], tuple(rows[at]["ci"]) if rows[at]["ci"] else None),
        )
        for at in order
    ]
    groups: list[RankGroup] = []
    for one in ordered:
        number = one.row["group"]
        if not groups or groups[-1].number != number:
            groups.append(RankGroup(number, []))
        groups[-1].metrics.append(one)
    ranked = [one for one in ordered if one.row["value"] is not None]
    chosen = test if test in TESTS else "adjusted"
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
            row = one.row
            rows.append(ForestRow(label(row), number, y, row["value"], row["ci"], one.mark))
            y += ROW
    return Forest(rows, rules, y - ROW / 2, y + ROW / 2)


def label(row: dict[str, Any]) -> str:
    """A metric's name, and its way with several references where that is not the usual."""
    return f"{row['metric']}{' joint' if row['multi_ref'] == 'joint' else ''}"


def learning_plot(result: dict[str, Any]) -> LinePlot | None:
    """The learning curve of a result of the kind "learning"; None without a defined point."""
    points = [point for point in result["points"] if point["agreement"] is not None]
    if not points:
        return None
    return line_plot(
        [point["passages"] for point in points],
        [point["agreement"] for point in points],
        [point["low"] for point in points],
        [point["high"] for point in points],
        [
            f"{point['passages']} passages ({point['candidates']:.0f} candidates): tau "
            f"{point['agreement']:.2f}, the same metric first in {100 * point['same_best']:.0f}%"
            for point in points
        ],
        x_name="passages in each of two studies",
        y_name="agreement of their rankings (\N{GREEK SMALL LETTER TAU})",
    )


def _tested(result: dict[str, Any], test: str) -> Triangle:
    name = result["adjusted_by"] if test == "adjusted" else test
    found: Triangle = result["tests"].get(name) or result["tests"]["perm-both"]
    return found


def _pair(
    result: dict[str, Any], p: Triangle, one: ComparedMetric, other: ComparedMetric
) -> dict[str, Any] | None:
    if one.at == other.at:
        return None
    low, high = result["tests"]["low"], result["tests"]["high"]
    ends = (entry(low, one.at, other.at), entry(high, one.at, other.at))
    if one.at < other.at and None not in ends:
        ends = (-(ends[1] or 0.0), -(ends[0] or 0.0))
    return {
        "one": label(one.row),
        "other": label(other.row),
        "delta": one.row["value"] - other.row["value"],
        "p": entry(p, one.at, other.at),
        "ci": None if None in ends else ends,
    }


def _cell(pair: dict[str, Any] | None) -> tuple[str, str, str] | None:
    if pair is None:
        return ("same", "", "")
    p, delta = pair["p"], pair["delta"]
    told = f"{pair['one']} against {pair['other']}: difference {delta:+.3f}"
    if pair["ci"]:
        told += f", 95% {pair['ci'][0]:+.3f} to {pair['ci'][1]:+.3f}"
    if p is None:
        return ("unknown", "", told)
    told += f", p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}".replace("-", "\N{MINUS SIGN}")
    strength = sum(p <= level for level in LEVELS)
    if not strength:
        return ("apart-0", "", told)
    side = "better" if delta > 0 else "worse"
    return (f"{side} apart-{strength}", "+" if delta > 0 else "\N{MINUS SIGN}", told)


def _similarity(
    result: dict[str, Any], ranked: list[ComparedMetric], names: list[str]
) -> list[list[tuple[str, str, str] | None]]:
    between: Triangle = result["between_metrics"]
    rows: list[list[tuple[str, str, str] | None]] = []
    for i, one in enumerate(ranked):
        row: list[tuple[str, str, str] | None] = []
        for j, other in enumerate(ranked):
            r = 1.0 if i == j else entry(between, one.at, other.at)
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
