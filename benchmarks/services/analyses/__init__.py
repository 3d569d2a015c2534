"""Analyses of a judgment set: computed once, in the page where that is quick, else by a worker.

`answer` is the way in: it gives the analysis as it stands, computing it here and now where it
costs less than about a second. `KINDS` names what can be asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.timezone import now

from benchmarks.models import Analysis, JudgmentSet, MetricRun
from benchmarks.services.analyses import agreement, learning, requests, systems, work
from benchmarks.services.analyses.kinds import AT_ONCE, AnalysisRefusedError, Kind
from benchmarks.services.leaderboards import board_runs

__all__ = [
    "KINDS",
    "AnalysisRefusedError",
    "Kind",
    "answer",
    "ask",
    "board_of",
    "found",
    "perform",
    "seconds",
]

KINDS: dict[str, Kind] = {kind.name: kind for kind in (agreement.KIND, systems.KIND, learning.KIND)}


def answer(
    name: str,
    judgment_set: JudgmentSet,
    given: dict[str, Any],
    runs: Sequence[MetricRun] | None = None,
) -> Analysis | None:
    """The analysis of the board's complete runs, in whatever state; None where it takes long and
    nobody asked for it yet.

    A quick one is computed at once. `runs` spares looking up the board's. Raises
    AnalysisRefusedError for what cannot be asked.
    """
    kind = KINDS[name]
    runs = board_of(judgment_set) if runs is None else runs
    found = requests.find(kind, judgment_set, runs, given)
    if found is not None and found.status == Analysis.Status.COMPLETE:
        return found
    if kind.cost(judgment_set, len(runs), kind.parameters(given)) > AT_ONCE:
        return found
    if found is None or not found.is_active:
        if found is not None and found.status == Analysis.Status.FAILED:
            return found
        found = requests.request(kind, judgment_set, runs, given, at=now())
    perform(found.pk)
    found.refresh_from_db()
    return found


def ask(name: str, judgment_set: JudgmentSet, given: dict[str, Any]) -> Analysis:
    """Ask for an analysis of the board's complete runs; the caller sends its task."""
    return requests.request(KINDS[name], judgment_set, board_of(judgment_set), given, at=now())


def found(name: str, judgment_set: JudgmentSet, given: dict[str, Any]) -> Analysis | None:
    """The analysis as it was asked for before; None if it never was."""
    return requests.find(KINDS[name], judgment_set, board_of(judgment_set), given)


def seconds(name: str, judgment_set: JudgmentSet, given: dict[str, Any]) -> float:
    """About how long it takes."""
    kind = KINDS[name]
    return kind.cost(judgment_set, len(board_of(judgment_set)), kind.parameters(given))


def perform(pk: int, report: work.Report | None = None) -> None:
    """Compute an analysis unless somebody holds it, or it has ended; `report` hears each step."""
    claimed = requests.claim(pk, at=now())
    if claimed is not None:
        work.perform(KINDS[claimed.kind], claimed, report)


def board_of(judgment_set: JudgmentSet) -> list[MetricRun]:
    """The complete runs that stand on the set's leaderboard."""
    return [run for run in board_runs(judgment_set) if run.status == MetricRun.Status.COMPLETE]
