"""Computing a claimed analysis, here or in a worker, with progress and a way to stop it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from django.utils.timezone import now

from benchmarks.analyses.models import Analysis
from benchmarks.analyses.services.kinds import AnalysisRefusedError, Kind, Result
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from core.jobs.performing import StoppedError, perform

# Between two looks at the database: is it still wanted, and how far are we?
BEAT_SECONDS = 1.0
Report = Callable[[int, int], None]


def compute(kind: Kind[Any], analysis: Analysis, report: Report | None = None) -> None:
    """Compute a claimed analysis and store the result, or the reason why there is none."""

    def work() -> None:
        result, seconds = _computed(kind, analysis, report)
        analysis.complete(at=now(), result=result, seconds=seconds)

    perform(analysis, work, expected_errors=(AnalysisRefusedError,))


def runs_of(analysis: Analysis) -> list[MetricRun]:
    """Its runs with their scores, in its order. AnalysisRefusedError where one is gone."""
    found = loaded(analysis.judgment_set, analysis.runs)
    if len(found) != len(analysis.runs):
        raise AnalysisRefusedError("one of its metric runs is no longer there: ask for it anew")
    return found


def loaded(judgment_set: JudgmentSet, pks: Sequence[int]) -> list[MetricRun]:
    """Complete runs with their scores, in the order asked for."""
    complete = judgment_set.runs.filter(pk__in=list(pks), status=MetricRun.Status.COMPLETE)
    rows = {run.pk: run for run in complete.defer(None).defer("known_scores", "statistics")}
    return [rows[pk] for pk in pks if pk in rows]


def wait_for(analysis: Analysis, report: Report) -> None:
    """Until it has ended, whoever computes it; the analysis is then as it ended."""
    while True:
        analysis.refresh_from_db()
        if not analysis.is_active:
            return
        report(analysis.done, analysis.total)
        time.sleep(BEAT_SECONDS / 4)


def _computed(kind: Kind[Any], analysis: Analysis, report: Report | None) -> tuple[Result, float]:
    started = beaten = time.monotonic()
    steps = kind.compute(analysis.judgment_set, runs_of(analysis), analysis.parameters)
    while True:
        try:
            progress = next(steps)
        except StopIteration as finished:
            return finished.value, time.monotonic() - started
        if report is not None:
            report(progress.done, progress.total)
        if time.monotonic() - beaten >= BEAT_SECONDS:
            beaten = time.monotonic()
            if not analysis.advance(at=now(), done=progress.done, total=progress.total):
                raise StoppedError
