"""A leaderboard with what the analyses know of its rows: rank groups, ceilings, systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.analyses import services as analyses
from benchmarks.analyses.leaderboards import leaderboard
from benchmarks.analyses.models import Analysis
from benchmarks.correctness import services as correctness
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.meta.inference import Coefficient

# What a board calls each coefficient, and what an analysis does.
COEFFICIENTS: dict[str, Coefficient] = {
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall": "kendall_b",
}
# Scores that a board may judge while its reader waits; the page of correctness takes more.
MOST_JUDGED = 300_000
SYSTEM_FIGURES = ("pearson", "kendall_b", "pairwise_accuracy", "soft_pairwise")


def board(
    judgment_set: JudgmentSet, by: str | None = None, group: str = "", ranked_by: str = "pearson"
) -> dict[str, Any]:
    """`leaderboard(judgment_set, by)` as JSON, with the standing of each row where it is known.

    A row's "standing" is {"rank", "group", "ci", "relative", "corrected"} of the coefficient
    `ranked_by`: bootstrap interval by passage, rank groups by PERM-BOTH, share of the human
    ceiling; its "systems" are the figures over systems. Both are there for the whole set and for
    the one `group` of a grouping that is named, if they are quick to compute or were computed
    before; else null. Its "correctness" has F1 and balanced accuracy of the metric as a judge, as
    the set's page of correctness has them unasked; null for parts and for large boards.
    "standings" says of which analysis they are.
    """
    found = leaderboard(judgment_set, by).to_json()
    part = {"by": by or "", "group": group} if by and group else {}
    for row in found["rows"]:
        row["standing"] = row["systems"] = row["correctness"] = None
    found["standings"] = None
    if by and not group:
        return found
    coefficient = COEFFICIENTS.get(ranked_by, "pearson")
    runs = analyses.board_of(judgment_set)
    agreement = _result("agreement", judgment_set, {"coefficient": coefficient, **part}, runs)
    systems = _result("systems", judgment_set, part, runs)
    standing = {row["run"]: row for row in (agreement or {}).get("metrics", ())}
    over_systems = {row["run"]: row for row in (systems or {}).get("metrics", ())}
    as_judges = {} if by else _as_judges(judgment_set, len(runs))
    for row in found["rows"]:
        if by and row["group"] != group:
            continue
        if one := standing.get(row["run"]):
            names = ("rank", "group", "ci", "relative", "corrected")
            row["standing"] = {name: one.get(name) for name in names}
        if one := as_judges.get(row["run"]):
            row["correctness"] = {name: one[name] for name in ("f1", "balanced_accuracy")}
        if one := over_systems.get(row["run"]):
            row["systems"] = {name: one[name] for name in SYSTEM_FIGURES}
    if agreement is not None:
        found["standings"] = {
            "coefficient": ranked_by if ranked_by in COEFFICIENTS else "pearson",
            "units": agreement["units"],
            "draws": agreement["draws"],
            "adjusted_by": agreement["adjusted_by"],
            "alpha": agreement["alpha"],
        }
    return found


def _as_judges(judgment_set: JudgmentSet, metrics: int) -> dict[int, dict[str, Any]]:
    """Each run's figures as a judge of correctness, where they are quick to have."""
    if not metrics or judgment_set.n_candidates * metrics > MOST_JUDGED:
        return {}
    try:
        found = correctness.result(judgment_set, correctness.Options(), optimised=False)
    except correctness.CorrectnessRefusedError:
        return {}
    return {row["run"]: row for row in found["metrics"]}


def answered(
    kind: str,
    judgment_set: JudgmentSet,
    given: dict[str, Any],
    runs: Sequence[MetricRun] | None = None,
) -> Analysis | None:
    """A complete analysis, if it is there or quick to have."""
    try:
        analysis = analyses.answer(kind, judgment_set, given, runs)
    except analyses.AnalysisRefusedError:
        return None
    if analysis is None or analysis.status != Analysis.Status.COMPLETE:
        return None
    return analysis


def ranking_changes(first: JudgmentSet, second: JudgmentSet) -> list[dict[str, Any]]:
    """How the metrics that both versions know stand in each, by Pearson, best of `second` first.

    {"metric", "multi_ref", "before", "after"}, each of the last two a row of `board`, matched by
    name, options and way with several references: signatures differ where the metric depends on
    the set.
    """
    before = {(row["metric"], row["multi_ref"]): row for row in board(first)["rows"]}
    found = []
    for row in board(second)["rows"]:
        key = (row["metric"], row["multi_ref"])
        if key in before and "complete" == row["status"] == before[key]["status"]:
            found.append(
                {"metric": key[0], "multi_ref": key[1], "before": before[key], "after": row}
            )
    for name in ("before", "after"):
        defined = [one for one in found if one[name]["pearson"]["value"] is not None]
        defined.sort(key=lambda one: -one[name]["pearson"]["value"])
        for place, one in enumerate(defined, start=1):
            one[f"place_{name}"] = place
    return found


def _result(
    kind: str, judgment_set: JudgmentSet, given: dict[str, Any], runs: Sequence[MetricRun]
) -> dict[str, Any] | None:
    analysis = answered(kind, judgment_set, given, runs)
    return None if analysis is None else analysis.result
