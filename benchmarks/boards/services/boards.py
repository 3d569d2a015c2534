"""A leaderboard with ranks, human agreement, figures over systems and correctness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from benchmarks.analyses import kinds
from benchmarks.analyses import services as analyses
from benchmarks.analyses.kinds.correctness.computation import MetricCorrectness
from benchmarks.analyses.kinds.systems import MetricOverSystems
from benchmarks.analyses.leaderboards import complete_board_runs, leaderboard
from benchmarks.analyses.models import Analysis
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.documents.board import (
    BoardCorrectnessRow,
    BoardDocument,
    BoardRanks,
    BoardRow,
    BoardSystemsRow,
    Ranking,
    RankRow,
)
from concord.documents.comparison import AgreementAnalysis, AgreementRow
from concord.documents.figures import FigureRow
from concord.meta.inference import Coefficient
from core.refusals import RefusedError

# The coefficient of an analysis by its name on a board.
COEFFICIENTS: dict[Ranking, Coefficient] = {
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall": "kendall_b",
}


def read_board(
    judgment_set: JudgmentSet, by: str | None = None, group: str = "", ranked_by: str = "pearson"
) -> BoardDocument:
    """The board of `read_board_with_analyses`; it starts no analysis."""
    return read_board_with_analyses(judgment_set, by, group, ranked_by)[0]


def read_board_with_analyses(
    judgment_set: JudgmentSet,
    by: str | None = None,
    group: str = "",
    ranked_by: str = "pearson",
    *,
    request_at: datetime | None = None,
) -> tuple[BoardDocument, list[Analysis]]:
    """`leaderboard(judgment_set, by)` with the results of analyses, and running analyses.

    A row's "standing" has the rank by PERM-BOTH and the share of human agreement for the
    coefficient `ranked_by`, with its interval; its "systems" has the figures over systems.
    Both concern the whole set, or the `group` of a grouping; they are null if they were not
    computed before and are not quick to compute. So is "correctness", F1 and balanced accuracy of
    the metric as a judge with default options, which parts and criteria do not have. "standings"
    describes the analysis behind "standing".

    The second result lists the board's analyses that a worker still computes. With `request_at`,
    missing analyses are requested at that time (`analyses.request_if_short`); the caller sends the
    tasks of those created at that time.
    """
    board = leaderboard(judgment_set, by).document
    for row in board.rows:
        row["standing"] = row["systems"] = row["correctness"] = None
    if by and not group:
        return board, []
    ranking: Ranking = next((name for name in COEFFICIENTS if name == ranked_by), "pearson")
    runs = complete_board_runs(judgment_set)
    part: dict[str, object] = {"by": by, "group": group} if by and group else {}
    parameters = {"agreement": {"coefficient": COEFFICIENTS[ranking], **part}, "systems": part}
    if not by and judgment_set.criterion is None:
        parameters["correctness"] = {}
    by_kind = {
        kind: _analysis(kind, judgment_set, values, runs, request_at)
        for kind, values in parameters.items()
    }
    agreement, systems, correctness = (
        _if_complete(by_kind.get(kind)) for kind in ("agreement", "systems", "correctness")
    )
    comparison = None if agreement is None else kinds.agreement.KIND.result_of(agreement)
    ranks = {row["run"]: row for row in comparison["metrics"]} if comparison else {}
    systems_rows = kinds.systems.KIND.result_of(systems).metrics if systems else []
    over_systems = {row.run: row for row in systems_rows}
    verdicts = kinds.correctness.KIND.result_of(correctness).metrics if correctness else []
    as_judges = {row.run: row for row in verdicts}
    for row in board.rows:
        if by and row["group"] != group:
            continue
        run = row["run"]
        if run in ranks:
            row["standing"] = _rank_row(ranks[run], row[ranking])
        if run in as_judges:
            row["correctness"] = _correctness_row(as_judges[run])
        if run in over_systems:
            row["systems"] = _systems_row(over_systems[run])
    if comparison is not None:
        board = replace(board, standings=_board_ranks(ranking, comparison))
    return board, [one for one in by_kind.values() if one and one.is_active]


def _board_ranks(ranking: Ranking, comparison: AgreementAnalysis) -> BoardRanks:
    return {
        "coefficient": ranking,
        "units": comparison["units"],
        "draws": comparison["draws"],
        "adjusted_by": comparison["adjusted_by"],
        "unit": comparison["unit"],
        "alpha": comparison["alpha"],
    }


def board_row(judgment_set: JudgmentSet, run: int) -> BoardRow:
    """The row of a complete run on the board of its set, without the results of analyses."""
    rows = leaderboard(judgment_set).rows
    return next(row for row in rows if row["run"] == run)


def _rank_row(row: AgreementRow, figure: FigureRow) -> RankRow:
    """The rank of a metric. figure: its coefficient on the board, whose interval it repeats."""
    rank_row: RankRow = {
        "rank": row["rank"],
        "group": row["group"],
        "top": row["top"],
        "ci": figure.get("ci"),
        "relative": row.get("relative"),
        "relative_n": row.get("relative_n"),
        "corrected": row.get("corrected"),
    }
    reason = figure.get("no_interval")
    return {**rank_row, "no_interval": reason} if reason else rank_row


def _systems_row(row: MetricOverSystems) -> BoardSystemsRow:
    return {
        "pearson": row.pearson.to_json(),
        "kendall_b": row.kendall_b.to_json(),
        "pairwise_accuracy": row.pairwise_accuracy.to_json(),
        "soft_pairwise": row.soft_pairwise.to_json(),
    }


def _correctness_row(row: MetricCorrectness) -> BoardCorrectnessRow:
    return {"f1": row.f1.to_json(), "balanced_accuracy": row.balanced_accuracy.to_json()}


def complete_analysis(
    kind: str,
    judgment_set: JudgmentSet,
    parameters: Mapping[str, object],
    runs: Sequence[MetricRun] | None = None,
) -> Analysis | None:
    """A complete analysis, stored or computed now if it is quick; else None."""
    return _if_complete(_analysis(kind, judgment_set, parameters, runs))


def _analysis(
    kind: str,
    judgment_set: JudgmentSet,
    parameters: Mapping[str, object],
    runs: Sequence[MetricRun] | None,
    request_at: datetime | None = None,
) -> Analysis | None:
    """The analysis in whatever state; with `request_at`, it is requested if nobody did before."""
    try:
        analysis = analyses.find_or_compute(kind, judgment_set, parameters, runs)
        if analysis is None and request_at is not None:
            return analyses.request_if_short(kind, judgment_set, parameters, at=request_at)
    except RefusedError:
        return None
    return analysis


def _if_complete(analysis: Analysis | None) -> Analysis | None:
    if analysis is None or analysis.status != Analysis.Status.COMPLETE:
        return None
    return analysis


@dataclass(frozen=True)
class RankingChange:
    """A metric on the boards of two versions of a set; a rank is None without a correlation."""

    metric: str
    multi_ref: str
    before: BoardRow
    after: BoardRow
    rank_before: int | None
    rank_after: int | None


def ranking_changes(first: JudgmentSet, second: JudgmentSet) -> list[RankingChange]:
    """Metrics that are complete on both versions, ranked by Pearson's r, best of `second` first.

    Metrics are matched by name, options and treatment of references, since the signature of a
    metric that depends on the set differs.
    """
    before = {(row["metric"], row["multi_ref"]): row for row in read_board(first).rows}
    rows = [
        (before[key], row)
        for row in read_board(second).rows
        if (key := (row["metric"], row["multi_ref"])) in before
        and "complete" == row["status"] == before[key]["status"]
    ]
    ranks_before = _ranks([old for old, _ in rows])
    ranks_after = _ranks([new for _, new in rows])
    return [
        RankingChange(
            metric=new["metric"],
            multi_ref=new["multi_ref"],
            before=old,
            after=new,
            rank_before=ranks_before.get(old["run"]),
            rank_after=ranks_after.get(new["run"]),
        )
        for old, new in rows
    ]


def _ranks(rows: Sequence[BoardRow]) -> dict[int, int]:
    """The rank of each run by Pearson's r, best 1; runs without a correlation are left out."""
    defined = [(row["run"], r) for row in rows if (r := row["pearson"]["value"]) is not None]
    defined.sort(key=lambda pair: -pair[1])
    return {run: rank for rank, (run, _) in enumerate(defined, start=1)}
