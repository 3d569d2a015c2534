"""Analyses from request to result: asked for once, claimed, kept alive, ended.

Nothing here enqueues a task; callers do, with the primary keys. Every step may be taken twice, by
two processes at once: it works once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from benchmarks.analyses.models import Analysis
from benchmarks.analyses.services.kinds import AnalysisRefusedError, Kind
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from core.jobs import leases
from core.jobs.leases import MESSAGE_LOST_AFTER, MOST_TRIES, held, lease, take

Status = Analysis.Status


def find(
    kind: Kind, judgment_set: JudgmentSet, runs: Sequence[MetricRun], given: dict[str, Any]
) -> Analysis | None:
    """The analysis as it was asked for before; None if it never was. AnalysisRefusedError."""
    parameters = kind.parameters(given)
    fingerprint = _fingerprint(kind, runs, parameters)
    return Analysis.objects.filter(judgment_set=judgment_set, fingerprint=fingerprint).first()


def request(
    kind: Kind,
    judgment_set: JudgmentSet,
    runs: Sequence[MetricRun],
    given: dict[str, Any],
    *,
    at: datetime,
) -> Analysis:
    """The analysis of these runs with these parameters: the one that exists, or a new one, queued.

    A failed or stopped one is queued again. Raises AnalysisRefusedError for parameters that are
    not allowed and for too few runs.
    """
    parameters = kind.parameters(given)
    if len(runs) < kind.fewest:
        raise AnalysisRefusedError(
            f"{kind.name} needs {kind.fewest} scored metrics, there are {len(runs)}"
        )
    with transaction.atomic():
        analysis, made = Analysis.objects.select_for_update().get_or_create(
            judgment_set=judgment_set,
            fingerprint=_fingerprint(kind, runs, parameters),
            defaults={
                "kind": kind.name,
                "parameters": parameters,
                "runs": [run.pk for run in runs],
                "created_at": at,
                "sent_at": at,
            },
        )
        if not made and analysis.status in (Status.FAILED, Status.CANCELLED):
            analysis.status, analysis.reason, analysis.finished_at = Status.QUEUED, "", None
            analysis.done = analysis.total = analysis.tries = 0
            analysis.sent_at = at
            analysis.save()
    return analysis


def claim(pk: int, *, at: datetime) -> Analysis | None:
    """Take the lease; None when it is held or ended. One whose workers died thrice fails."""
    if not take(Analysis.objects.filter(pk=pk), at=at, done=0):
        return None
    analysis = Analysis.objects.get(pk=pk)
    if analysis.tries > MOST_TRIES:
        fail(analysis, f"Its worker died {MOST_TRIES} times; see the worker's log.", at=at)
        return None
    return analysis


def advance(analysis: Analysis, done: int, total: int, *, at: datetime) -> bool:
    """Note progress and prolong the lease; False when it is stopped or no longer the caller's."""
    return bool(held(analysis).update(done=done, total=total, lease_until=at + lease()))


def complete(analysis: Analysis, result: dict[str, Any], seconds: float, *, at: datetime) -> bool:
    """Store the result unless another attempt took over."""
    return bool(
        held(analysis).update(
            status=Status.COMPLETE,
            result=result,
            seconds=seconds,
            reason="",
            lease_until=None,
            finished_at=at,
        )
    )


def fail(analysis: Analysis, reason: str, *, at: datetime) -> None:
    """End it with a reason that a person can read."""
    held(analysis).update(status=Status.FAILED, reason=reason, lease_until=None, finished_at=at)


def cancel(pk: int, *, at: datetime) -> bool:
    """Stop one that has not ended; asking for it again starts it anew."""
    active = Analysis.objects.filter(pk=pk, status__in=Analysis.ACTIVE)
    return bool(
        active.update(
            status=Status.CANCELLED, reason="Stopped by hand.", lease_until=None, finished_at=at
        )
    )


def stale(*, at: datetime, unclaimed_for: timedelta = MESSAGE_LOST_AFTER) -> list[int]:
    """Those to send again, which the caller is taken to do: lapsed, or sent and never taken."""
    return leases.stale(Analysis.objects.all(), at=at, unclaimed_for=unclaimed_for)


def _fingerprint(kind: Kind, runs: Sequence[MetricRun], parameters: dict[str, Any]) -> str:
    told = [kind.name, kind.revision, parameters, [[run.pk, run.signature] for run in runs]]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
