"""Analyses of a judgment set: computed once, in the page where that is quick, else by a worker.

`answer` is the way in: it gives the analysis as it stands, computing it here and now where it
costs less than about a second. `KINDS` names what can be asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.timezone import now

from benchmarks.analyses.leaderboards import board_runs
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.services import agreement, learning, plane, requests, systems, work
from benchmarks.analyses.services.kinds import (
    AT_ONCE,
    MAX_SECONDS_UNASKED,
    AnalysisRefusedError,
    Kind,
)
from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.meta.board import GROUPINGS

__all__ = [
    "KINDS",
    "AnalysisRefusedError",
    "Kind",
    "answer",
    "ask",
    "ask_unless_long",
    "board_of",
    "found",
    "perform",
    "seconds",
    "shown",
    "visible",
]

KINDS: dict[str, Kind[Any]] = {
    kind.name: kind for kind in (agreement.KIND, systems.KIND, learning.KIND, plane.KIND)
}


def answer(
    name: str,
    judgment_set: JudgmentSet,
    given: Mapping[str, object],
    runs: Sequence[MetricRun] | None = None,
) -> Analysis | None:
    """The analysis of the board's complete runs, in whatever state; None where it takes long and
    nobody asked for it yet.

    A quick one is computed at once. `runs` spares looking up the board's. Raises
    AnalysisRefusedError for what cannot be asked.
    """
    kind = KINDS[name]
    _refuse_what_is_withheld(judgment_set, kind.parameters(given))
    runs = _runs(kind, judgment_set) if runs is None else runs
    found = requests.find(kind, judgment_set, runs, given)
    if found is not None and found.status == Analysis.Status.COMPLETE:
        return _shown(judgment_set, found)
    if kind.cost(judgment_set, len(runs), kind.parameters(given)) > AT_ONCE:
        return found
    if found is None or not found.is_active:
        if found is not None and found.status == Analysis.Status.FAILED:
            return found
        found = requests.request(kind, judgment_set, runs, given, at=now())
    perform(found.pk)
    found.refresh_from_db()
    return _shown(judgment_set, found)


def ask(name: str, judgment_set: JudgmentSet, given: Mapping[str, object]) -> Analysis:
    """Ask for an analysis of the board's complete runs; the caller sends its task."""
    kind = KINDS[name]
    return requests.request(kind, judgment_set, _runs(kind, judgment_set), given, at=now())


def ask_unless_long(
    name: str, judgment_set: JudgmentSet, given: Mapping[str, object], *, at: datetime
) -> Analysis | None:
    """Ask for an analysis as `ask` does; None where it takes more than MAX_SECONDS_UNASKED."""
    kind = KINDS[name]
    runs = _runs(kind, judgment_set)
    if kind.cost(judgment_set, len(runs), kind.parameters(given)) > MAX_SECONDS_UNASKED:
        return None
    return requests.request(kind, judgment_set, runs, given, at=at)


def found(name: str, judgment_set: JudgmentSet, given: Mapping[str, object]) -> Analysis | None:
    """The analysis as it was asked for before; None if it never was."""
    kind = KINDS[name]
    return requests.find(kind, judgment_set, _runs(kind, judgment_set), given)


def seconds(name: str, judgment_set: JudgmentSet, given: Mapping[str, object]) -> float:
    """About how long it takes."""
    kind = KINDS[name]
    return kind.cost(judgment_set, len(_runs(kind, judgment_set)), kind.parameters(given))


def visible(judgment_set: JudgmentSet) -> QuerySet[Analysis]:
    """The set's analyses that read no run which its viewer may not see."""
    seen = list(visible_runs(judgment_set).values_list("pk", flat=True))
    found: QuerySet[Analysis] = judgment_set.analyses.filter(runs__contained_by=seen)
    return found


def shown(judgment_set: JudgmentSet, analysis: Analysis) -> Analysis:
    """One of `visible` with its figures as the viewer may have them; not to be saved. Raises
    AnalysisRefusedError where they are withheld."""
    _refuse_what_is_withheld(judgment_set, analysis.parameters)
    return _shown(judgment_set, analysis)


def perform(pk: int, report: work.Report | None = None) -> None:
    """Compute an analysis, unless it is claimed or has ended. `report` is called at each step."""
    claimed = Analysis.claim(pk, at=now(), done=0)
    if claimed is not None:
        work.compute(KINDS[claimed.kind], claimed, report)


def _refuse_what_is_withheld(judgment_set: JudgmentSet, parameters: Mapping[str, object]) -> None:
    by, group = parameters.get("by") or hidden.WHOLE, parameters.get("group") or hidden.WHOLE
    if by in ("", *GROUPINGS) and group in hidden.withheld_groups(judgment_set, by):
        raise AnalysisRefusedError(hidden.TOO_FEW)


def _shown(judgment_set: JudgmentSet, analysis: Analysis) -> Analysis:
    """The analysis with its figures as the set's viewer may have them; not to be saved."""
    if hidden.viewer_masks(judgment_set):
        analysis.result = hidden.round_floats(analysis.result)
    return analysis


def board_of(judgment_set: JudgmentSet) -> list[MetricRun]:
    """The complete runs that stand on the set's leaderboard."""
    return [run for run in board_runs(judgment_set) if run.status == MetricRun.Status.COMPLETE]


def _runs(kind: Kind[Any], judgment_set: JudgmentSet) -> list[MetricRun]:
    return board_of(judgment_set) if kind.reads_runs else []
