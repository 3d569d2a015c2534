"""A leaderboard with what the analyses know of its rows: rank groups, ceilings, systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from benchmarks.analyses import documents
from benchmarks.analyses import services as analyses
from benchmarks.analyses.leaderboards import leaderboard
from benchmarks.analyses.models import Analysis
from benchmarks.correctness import services as correctness
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.meta.documents.board import (
    Board,
    BoardCorrectnessRow,
    BoardRow,
    BoardSystemsRow,
    Ranking,
    RankRow,
)
from concord.meta.documents.comparison import AgreementRow
from concord.meta.documents.systems import SystemsRow
from concord.meta.inference import Coefficient

# What a board calls each coefficient, and what an analysis does.
COEFFICIENTS: dict[Ranking, Coefficient] = {
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall": "kendall_b",
}
# Scores that a board may judge while its reader waits; the page of correctness takes more.
MOST_JUDGED = 300_000


def board(
    judgment_set: JudgmentSet, by: str | None = None, group: str = "", ranked_by: str = "pearson"
) -> Board:
    """`board_awaiting` without asking a worker for anything."""
    return board_awaiting(judgment_set, by, group, ranked_by)[0]


def board_awaiting(
    judgment_set: JudgmentSet,
    by: str | None = None,
    group: str = "",
    ranked_by: str = "pearson",
    *,
    ask_at: datetime | None = None,
) -> tuple[Board, list[Analysis]]:
    """`leaderboard(judgment_set, by)` as JSON, with the standing of each row where it is known.

    A row's "standing" is of the coefficient `ranked_by`: bootstrap interval by passage, rank groups
    by PERM-BOTH, share of the human ceiling; its "systems" are the figures over systems. Both are
    there for the whole set and for the one `group` of a grouping that is named, if they are quick
    to compute or were computed before; else null. Its "correctness" has F1 and balanced accuracy
    of the metric as a judge, as the set's page of correctness has them unasked; null for parts and
    for large boards. "standings" says of which analysis they are.

    Beside the board are its analyses that a worker computes. With `ask_at`, those that nobody asked
    for are asked for then (`analyses.ask_unless_long`); the caller sends the tasks of those created
    at that time.
    """
    found = leaderboard(judgment_set, by).to_json()
    for row in found["rows"]:
        row["standing"] = row["systems"] = row["correctness"] = None
    found["standings"] = None
    if by and not group:
        return found, []
    ranking: Ranking = next((name for name in COEFFICIENTS if name == ranked_by), "pearson")
    runs = analyses.board_of(judgment_set)
    part: dict[str, object] = {"by": by, "group": group} if by and group else {}
    asked = {"agreement": {"coefficient": COEFFICIENTS[ranking], **part}, "systems": part}
    known = {
        kind: _answer(kind, judgment_set, given, runs, ask_at) for kind, given in asked.items()
    }
    agreement, systems = _complete(known["agreement"]), _complete(known["systems"])
    compared = None if agreement is None else documents.agreement(agreement)
    standing = {row["run"]: row for row in compared["metrics"]} if compared else {}
    systems_rows = documents.systems(systems)["metrics"] if systems else []
    over_systems = {row["run"]: row for row in systems_rows}
    as_judges = {} if by else _as_judges(judgment_set, len(runs))
    for row in found["rows"]:
        if by and row["group"] != group:
            continue
        run = row["run"]
        if run in standing:
            row["standing"] = _standing(standing[run])
        if run in as_judges:
            row["correctness"] = as_judges[run]
        if run in over_systems:
            row["systems"] = _over_systems(over_systems[run])
    if compared is not None:
        found["standings"] = {
            "coefficient": ranking,
            "units": compared["units"],
            "draws": compared["draws"],
            "adjusted_by": compared["adjusted_by"],
            "alpha": compared["alpha"],
        }
    return found, [analysis for analysis in known.values() if analysis and analysis.is_active]


def _standing(row: AgreementRow) -> RankRow:
    return {
        "rank": row["rank"],
        "group": row["group"],
        "ci": row["ci"],
        "relative": row.get("relative"),
        "corrected": row.get("corrected"),
    }


def _over_systems(row: SystemsRow) -> BoardSystemsRow:
    return {
        "pearson": row["pearson"],
        "kendall_b": row["kendall_b"],
        "pairwise_accuracy": row["pairwise_accuracy"],
        "soft_pairwise": row["soft_pairwise"],
    }


def _as_judges(judgment_set: JudgmentSet, metrics: int) -> dict[int, BoardCorrectnessRow]:
    """Each run's figures as a judge of correctness, where they are quick to have."""
    if not metrics or judgment_set.n_candidates * metrics > MOST_JUDGED:
        return {}
    try:
        found = correctness.result(judgment_set, correctness.Options(), optimised=False)
    except correctness.CorrectnessRefusedError:
        return {}
    return {
        row["run"]: {"f1": row["f1"], "balanced_accuracy": row["balanced_accuracy"]}
        for row in found["metrics"]
    }


def answered(
    kind: str,
    judgment_set: JudgmentSet,
    given: Mapping[str, object],
    runs: Sequence[MetricRun] | None = None,
) -> Analysis | None:
    """A complete analysis, if it is there or quick to have."""
    return _complete(_answer(kind, judgment_set, given, runs))


def _answer(
    kind: str,
    judgment_set: JudgmentSet,
    given: Mapping[str, object],
    runs: Sequence[MetricRun] | None,
    ask_at: datetime | None = None,
) -> Analysis | None:
    """The analysis in whatever state; with `ask_at`, asked for then where nobody has."""
    try:
        analysis = analyses.answer(kind, judgment_set, given, runs)
        if analysis is None and ask_at is not None:
            return analyses.ask_unless_long(kind, judgment_set, given, at=ask_at)
    except analyses.AnalysisRefusedError:
        return None
    return analysis


def _complete(analysis: Analysis | None) -> Analysis | None:
    if analysis is None or analysis.status != Analysis.Status.COMPLETE:
        return None
    return analysis


@dataclass(frozen=True)
class RankingChange:
    """A metric on the boards of two versions of a set, with its place on each, if it has one."""

    metric: str
    multi_ref: str
    before: BoardRow
    after: BoardRow
    place_before: int | None
    place_after: int | None


def ranking_changes(first: JudgmentSet, second: JudgmentSet) -> list[RankingChange]:
    """How the metrics that both versions know stand in each, by Pearson, best of `second` first.

    They are matched by name, options and way with several references: signatures differ where the
    metric depends on the set.
    """
    before = {(row["metric"], row["multi_ref"]): row for row in board(first)["rows"]}
    rows = [
        (before[key], row)
        for row in board(second)["rows"]
        if (key := (row["metric"], row["multi_ref"])) in before
        and "complete" == row["status"] == before[key]["status"]
    ]
    places_before = _places([old for old, _ in rows])
    places_after = _places([new for _, new in rows])
    return [
        RankingChange(
            metric=new["metric"],
            multi_ref=new["multi_ref"],
            before=old,
            after=new,
            place_before=places_before.get(old["run"]),
            place_after=places_after.get(new["run"]),
        )
        for old, new in rows
    ]


def _places(rows: Sequence[BoardRow]) -> dict[int, int]:
    """The place of each run by Pearson's r, best 1; those without a value have none."""
    defined = [(row["run"], r) for row in rows if (r := row["pearson"]["value"]) is not None]
    defined.sort(key=lambda one: -one[1])
    return {run: place for place, (run, _) in enumerate(defined, start=1)}
