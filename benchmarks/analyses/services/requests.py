"""Requests for analyses: equal requests share one stored analysis."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from copy import copy
from datetime import datetime
from typing import TypedDict

from django.db import transaction

from benchmarks.analyses.kind import AnyAnalysisKind, as_json
from benchmarks.analyses.models import Analysis
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from core.refusals import RefusedError


class AnalysisFields(TypedDict):
    """The fields of an analysis that its request determines."""

    kind: str
    parameters: dict[str, object]
    runs: list[int]


def find(
    kind: AnyAnalysisKind,
    judgment_set: JudgmentSet,
    runs: Sequence[MetricRun],
    parameters: Mapping[str, object],
) -> Analysis | None:
    """The stored analysis; None if nobody requested it. Raises RefusedError."""
    complete = complete_parameters(kind, judgment_set, parameters)
    return Analysis.objects.filter(
        judgment_set=judgment_set, fingerprint=fingerprint(kind, runs, complete)
    ).first()


def find_complete(
    kind: AnyAnalysisKind,
    parameters: Mapping[str, object],
    runs_by_set: Mapping[int, Sequence[MetricRun]],
) -> dict[int, Analysis]:
    """The complete analyses of many sets, by primary key of the set; one query."""
    complete = as_json(kind.read(parameters))
    fingerprints = {pk: fingerprint(kind, runs, complete) for pk, runs in runs_by_set.items()}
    analyses = Analysis.objects.filter(
        judgment_set__in=fingerprints,
        fingerprint__in=fingerprints.values(),
        status=Analysis.Status.COMPLETE,
    )
    return {
        analysis.judgment_set_id: analysis
        for analysis in analyses
        if analysis.fingerprint == fingerprints[analysis.judgment_set_id]
    }


def find_complete_by_run(
    kind: AnyAnalysisKind,
    judgment_set: JudgmentSet,
    parameters: Mapping[str, object],
    runs: Sequence[MetricRun],
) -> dict[int, Analysis]:
    """The complete analyses that are each of one of these runs, by its primary key; one query."""
    by_fingerprint = {
        fingerprint(
            kind, [run], complete_parameters(kind, judgment_set, {**parameters, "run": run.pk})
        ): run.pk
        for run in runs
    }
    analyses = Analysis.objects.filter(
        judgment_set=judgment_set,
        fingerprint__in=by_fingerprint,
        status=Analysis.Status.COMPLETE,
    )
    return {by_fingerprint[analysis.fingerprint]: analysis for analysis in analyses}


def request(
    kind: AnyAnalysisKind,
    judgment_set: JudgmentSet,
    runs: Sequence[MetricRun],
    parameters: Mapping[str, object],
    *,
    at: datetime,
) -> Analysis:
    """The analysis of these runs with these parameters, created and queued if it is new.

    A failed or cancelled analysis is queued again. Raises RefusedError for parameters that
    are not allowed and for too few runs.
    """
    fields = _fields(kind, judgment_set, runs, parameters)
    with transaction.atomic():
        analysis, created = Analysis.objects.select_for_update().get_or_create(
            judgment_set=judgment_set,
            fingerprint=fingerprint(kind, runs, fields["parameters"]),
            defaults={**fields, "created_at": at, "sent_at": at},
        )
        if not created and analysis.queue_again(at=at, done=0, total=0):
            analysis.refresh_from_db()
    return analysis


def unsaved(
    kind: AnyAnalysisKind,
    judgment_set: JudgmentSet,
    runs: Sequence[MetricRun],
    parameters: Mapping[str, object],
) -> Analysis:
    """The analysis that `request` would create, not in the database. Raises RefusedError as
    `request` does."""
    fields = _fields(kind, judgment_set, runs, parameters)
    return Analysis(judgment_set=copy(judgment_set), **fields)


def _fields(
    kind: AnyAnalysisKind,
    judgment_set: JudgmentSet,
    runs: Sequence[MetricRun],
    parameters: Mapping[str, object],
) -> AnalysisFields:
    complete = complete_parameters(kind, judgment_set, parameters)
    if len(runs) < kind.min_runs:
        raise RefusedError(
            f"{kind.name} needs {kind.min_runs} or more scored metrics; the set has {len(runs)}",
            "analysis-refused",
        )
    return {"kind": kind.name, "parameters": complete, "runs": [run.pk for run in runs]}


def complete_parameters(
    kind: AnyAnalysisKind, judgment_set: JudgmentSet, parameters: Mapping[str, object]
) -> dict[str, object]:
    """The parameters as they are stored: with defaults, and with the set's chosen criterion if any.

    Raises RefusedError.
    """
    values = kind.read(parameters)
    complete = as_json(kind.resolve(judgment_set, values) if kind.resolve else values)
    criterion = criteria.chosen(judgment_set) if "criterion" in kind.reads else ""
    return complete | {"criterion": criterion} if criterion else complete


def fingerprint(
    kind: AnyAnalysisKind, runs: Sequence[MetricRun], complete: Mapping[str, object]
) -> str:
    """The key of the stored analysis of these runs with these complete parameters."""
    content = [kind.name, kind.revision, complete, [[run.pk, run.signature] for run in runs]]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
