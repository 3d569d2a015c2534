"""Analyses of a judgment set: each is computed once, by the page if it is quick, else by a worker.

`find_or_compute` returns an analysis in its present state, and `request_analysis` queues one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.timezone import now

from benchmarks.analyses.kind import (
    MAX_SECONDS_IN_PAGE,
    MAX_SECONDS_ON_OPENING,
    AnyAnalysisKind,
    as_json,
)
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.registry import KINDS
from benchmarks.analyses.services import requests, work
from benchmarks.analyses.services.work import ANALYSES
from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.runs.services import releasing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from core.refusals import RefusedError

__all__ = [
    "ANALYSES",
    "KINDS",
    "MAX_SECONDS_IN_PAGE",
    "estimate_seconds",
    "find_analysis",
    "find_complete_analyses",
    "find_complete_by_run",
    "find_or_compute",
    "for_viewer",
    "has_models",
    "request_analysis",
    "request_if_short",
    "result",
    "visible_analyses",
]

_WITHOUT_RESULT = (Analysis.Status.FAILED, Analysis.Status.REFUSED)


def find_or_compute(
    name: str,
    judgment_set: JudgmentSet,
    parameters: Mapping[str, object],
    runs: Sequence[MetricRun] | None = None,
    *,
    store: bool = True,
) -> Analysis | None:
    """The analysis of the board's complete runs, in whatever state it is.

    A quick analysis is computed now. None for a longer one that nobody requested. `runs` saves the
    query for the board's runs. store: False for parameters with too many values to store each; a
    quick analysis is then not saved. Raises RefusedError where it cannot be computed.
    """
    kind = KINDS[name]
    _refuse_withheld(judgment_set, as_json(kind.read(parameters)))
    runs = _runs(kind, judgment_set, parameters) if runs is None else runs
    analysis = requests.find(kind, judgment_set, runs, parameters)
    if analysis is not None and analysis.status == Analysis.Status.COMPLETE:
        return analysis
    cost = kind.cost(judgment_set, len(runs), kind.read(parameters))
    if cost > MAX_SECONDS_IN_PAGE:
        return analysis
    if not store:
        analysis = requests.unsaved(kind, judgment_set, runs, parameters)
        work.compute_unsaved(kind, analysis, at=now())
        return analysis
    if analysis is None or not analysis.is_active:
        if analysis is not None and analysis.status in _WITHOUT_RESULT:
            return analysis
        analysis = requests.request(kind, judgment_set, runs, parameters, at=now())
    ANALYSES.perform(analysis.pk)
    analysis.refresh_from_db()
    return analysis


def result(name: str, judgment_set: JudgmentSet, parameters: Mapping[str, object]) -> Any:  # noqa: ANN401 - the result of the kind
    """The result of an analysis that is complete, or quick: it is stored if it has the default
    parameters.

    Raises RefusedError where a worker has to compute it, and where it cannot be computed.
    """
    kind = KINDS[name]
    is_usual = kind.read(parameters) == kind.read({})
    analysis = find_or_compute(name, judgment_set, parameters, store=is_usual)
    if analysis is not None and analysis.status in _WITHOUT_RESULT:
        raise RefusedError(analysis.reason, "analysis-refused")
    if analysis is None or analysis.status != Analysis.Status.COMPLETE:
        raise RefusedError(
            "a worker has to compute these figures, and has not yet: open their page, or start the "
            f"analysis “{name}”, and try again",
            "not-computed",
        )
    return kind.result_of(analysis)


def request_analysis(
    name: str,
    judgment_set: JudgmentSet,
    parameters: Mapping[str, object],
    *,
    at: datetime | None = None,
) -> Analysis:
    """Queue an analysis of the board's complete runs, by default now; the caller sends its task."""
    kind = KINDS[name]
    runs = _runs(kind, judgment_set, parameters)
    return requests.request(kind, judgment_set, runs, parameters, at=at or now())


def request_if_short(
    name: str, judgment_set: JudgmentSet, parameters: Mapping[str, object], *, at: datetime
) -> Analysis | None:
    """Queue an analysis; None if it takes longer than MAX_SECONDS_ON_OPENING."""
    kind = KINDS[name]
    runs = _runs(kind, judgment_set, parameters)
    cost = kind.cost(judgment_set, len(runs), kind.read(parameters))
    if cost > MAX_SECONDS_ON_OPENING:
        return None
    return requests.request(kind, judgment_set, runs, parameters, at=at)


def find_analysis(
    name: str, judgment_set: JudgmentSet, parameters: Mapping[str, object]
) -> Analysis | None:
    """The stored analysis; None if nobody requested it."""
    kind = KINDS[name]
    return requests.find(kind, judgment_set, _runs(kind, judgment_set, parameters), parameters)


def find_complete_analyses(
    name: str,
    parameters: Mapping[str, object],
    runs_by_set: Mapping[int, Sequence[MetricRun]],
) -> dict[int, Analysis]:
    """The stored complete analyses of many sets, by primary key of the set; one query.

    `runs_by_set` has the runs of each set's board in its order.
    """
    return requests.find_complete(KINDS[name], parameters, runs_by_set)


def find_complete_by_run(
    name: str,
    judgment_set: JudgmentSet,
    parameters: Mapping[str, object],
    runs: Sequence[MetricRun],
) -> list[Analysis]:
    """The stored complete analyses of these runs, each of one run, in their order; one query."""
    kind = KINDS[name]
    stored = requests.find_complete_by_run(kind, judgment_set, parameters, runs)
    return [stored[run.pk] for run in runs if run.pk in stored]


def estimate_seconds(
    name: str, judgment_set: JudgmentSet, parameters: Mapping[str, object]
) -> float:
    """How many seconds the analysis takes, approximately."""
    kind = KINDS[name]
    n_runs = len(_runs(kind, judgment_set, parameters))
    return kind.cost(judgment_set, n_runs, kind.read(parameters))


def visible_analyses(judgment_set: JudgmentSet) -> QuerySet[Analysis]:
    """The set's analyses of those metric runs that its viewer may see."""
    runs = list(visible_runs(judgment_set).values_list("pk", flat=True))
    analyses: QuerySet[Analysis] = judgment_set.analyses.filter(runs__contained_by=runs)
    return analyses


def for_viewer(judgment_set: JudgmentSet, analysis: Analysis) -> Analysis:
    """A visible analysis; the set's criterion becomes that of the analysis.

    Raises RefusedError where its figures are withheld from the set's viewer.
    """
    criteria.restore(judgment_set, analysis.parameters.get("criterion"))
    _refuse_withheld(judgment_set, analysis.parameters)
    return analysis


def has_models(pk: int) -> bool:
    """Whether the analysis needs a worker with models."""
    kind = Analysis.objects.filter(pk=pk).values_list("kind", flat=True).first()
    return kind is not None and "models" in KINDS[kind].reads


def _refuse_withheld(judgment_set: JudgmentSet, parameters: Mapping[str, object]) -> None:
    by, group = str(parameters.get("by", "")), str(parameters.get("group", ""))
    if releasing.is_withheld(judgment_set, by, group):
        raise RefusedError(releasing.WITHHELD, "analysis-refused")


def _runs(
    kind: AnyAnalysisKind, judgment_set: JudgmentSet, parameters: Mapping[str, object]
) -> list[MetricRun]:
    if not kind.reads & {"runs", "run"}:
        return []
    runs = complete_board_runs(judgment_set)
    if "runs" in kind.reads:
        return runs
    return [run for run in runs if run.pk == parameters.get("run")]
