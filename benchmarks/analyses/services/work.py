"""Computation of a claimed analysis, which reports its progress and can be stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.utils.timezone import now

from benchmarks.analyses.kind import AnyAnalysisKind
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.registry import KINDS
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from concord.documents.conversion import to_json
from concord.estimation import EstimationError
from concord.meta.inference import SampleError
from concord.reliability import RatingsError
from core.jobs.kinds import JobKind
from core.jobs.performing import StoppedError
from core.refusals import RefusedError
from scorers import ModelError
from scorers.plane.statistics import PlaneError

# Time between two updates of the progress, which also see whether the analysis was stopped.
HEARTBEAT_SECONDS = 1.0
# What the library raises where the data of a set do not suffice.
UNSUITABLE_DATA = (EstimationError, PlaneError, RatingsError, SampleError)
Report = Callable[[int, int], None]
JsonObject = dict[str, Any]


def _compute(analysis: Analysis, report: Report | None = None) -> None:
    """Compute a claimed analysis and store its result. `report` is called at each step."""
    result, seconds = _run_steps(KINDS[analysis.kind], analysis, report)
    analysis.complete(at=now(), result=result, seconds=seconds)


def _end(analysis: Analysis, reason: str, error: Exception | None) -> None:
    """Store why there is no result: it was refused where the data do not suffice, and failed
    otherwise."""
    is_refusal = isinstance(error, RefusedError) and error.code == "analysis-refused"
    (analysis.refuse if is_refusal else analysis.fail)(reason, at=now())


def compute_unsaved(kind: AnyAnalysisKind, analysis: Analysis, *, at: datetime) -> None:
    """Complete an analysis that is not in the database. Raises RefusedError."""
    analysis.result, analysis.seconds = _run_steps(kind, analysis, None)
    analysis.status, analysis.finished_at = Analysis.Status.COMPLETE, at


def load_analysis_runs(analysis: Analysis) -> list[MetricRun]:
    """The runs of an analysis with their scores, in its order.

    Raises RefusedError where one was deleted.
    """
    runs = load_runs(analysis.judgment_set, analysis.runs)
    if len(runs) != len(analysis.runs):
        raise RefusedError(
            "a metric run of this analysis was deleted: start a new one", "not-there-yet"
        )
    return runs


def load_runs(judgment_set: JudgmentSet, pks: Sequence[int]) -> list[MetricRun]:
    """The complete ones of the runs with these keys, with their scores, in the order of `pks`."""
    complete = judgment_set.runs.filter(pk__in=list(pks), status=MetricRun.Status.COMPLETE)
    rows = {run.pk: run for run in complete.defer(None).defer("known_scores", "statistics")}
    return [rows[pk] for pk in pks if pk in rows]


def wait_for(analysis: Analysis, report: Report) -> None:
    """Wait until the analysis has ended in this or another process, and refresh it."""
    while True:
        analysis.refresh_from_db()
        if not analysis.is_active:
            return
        report(analysis.done, analysis.total)
        time.sleep(HEARTBEAT_SECONDS / 4)


def _run_steps(
    kind: AnyAnalysisKind, analysis: Analysis, report: Report | None
) -> tuple[JsonObject, float]:
    started = last_beat = time.monotonic()
    criteria.restore(analysis.judgment_set, analysis.parameters.get("criterion"))
    runs, parameters = load_analysis_runs(analysis), kind.parameters_of(analysis)
    steps = kind.compute(analysis.judgment_set, runs, parameters)
    while True:
        try:
            progress = next(steps)
        except StopIteration as finished:
            return to_json(finished.value), time.monotonic() - started
        except UNSUITABLE_DATA as error:
            raise RefusedError(str(error), "analysis-refused") from error
        if report is not None:
            report(progress.done, progress.total)
        if analysis.pk is not None and time.monotonic() - last_beat >= HEARTBEAT_SECONDS:
            last_beat = time.monotonic()
            if not analysis.advance(at=now(), done=progress.done, total=progress.total):
                raise StoppedError


ANALYSES = JobKind(
    Analysis,
    _compute,
    expected_errors=(RefusedError, ModelError),
    fail=_end,
    may_retry=True,
)
