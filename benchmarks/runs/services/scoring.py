"""What a worker does with a chunk and with a run whose chunks are done.

A worker process keeps one session: one tokeniser, one METEOR, one cache for all its tasks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from django.conf import settings
from django.utils.timezone import now
from numpy.typing import NDArray

import scorers
from benchmarks.runs.external.metrics import EndpointMetric, ExternalMetric, ExternalMetricError
from benchmarks.runs.models import MetricRun, RunChunk
from benchmarks.runs.services import runs, training_marks
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.services import frames
from concord.meta import run_statistics
from concord.meta.documents.statistics import RunStatistics
from core.jobs.leases import heartbeat
from core.jobs.performing import StoppedError


@lru_cache(maxsize=1)
def session() -> scorers.Session:
    """This process's session."""
    return scorers.Session()


def score_chunk(chunk: RunChunk) -> bool:
    """Score a claimed chunk and store the result; True when its run is ready to be finished.

    Somebody else's metric, which may take its time, is not asked on once its run is stopped.
    """
    judgment_set, metric = chunk.run.judgment_set, metric_of(chunk.run)
    started = time.perf_counter()
    with heartbeat(chunk):
        positions = chunk.position_array.tolist()
        items = frames.items(judgment_set, positions, context=bool(metric.needs))
        corpus = frames.corpus(judgment_set) if metric.set_dependent else None
        watch = _watch(chunk.run) if isinstance(metric, ExternalMetric) else None
        try:
            scores = session().score(metric, items, corpus=corpus, progress=watch)
        except StoppedError:
            return False
    elsewhere = isinstance(metric, EndpointMetric)
    device = "elsewhere" if elsewhere else session().device(metric)
    return runs.complete_chunk(chunk, scores, time.perf_counter() - started, device)


def finish_run(run: MetricRun) -> bool:
    """Put a run's chunks together, compute its statistics and complete it.

    False when a chunk is still missing or the run was ended before.
    """
    scores = runs.assembled_scores(run)
    if scores is None:
        return False
    return runs.complete_run(run, scores, statistics_of(run, scores), at=now())


def statistics_of(run: MetricRun, scores: NDArray[np.float64]) -> RunStatistics:
    """`run_statistics`, what the metric was trained on, and its corpus-level values by system."""
    metric = metric_of(run)
    frame = frames.frame(run.judgment_set)
    statistics = run_statistics(frame, scores, higher_is_better=metric.higher_is_better)
    training_marks.mark(statistics, metric, run.judgment_set)
    if metric.has_corpus_score:
        positions = frames.system_positions(run.judgment_set)
        for row in statistics["systems"]:
            chosen = positions[row["system"]].tolist()
            items = frames.items(run.judgment_set, chosen, context=bool(metric.needs))
            row["corpus"] = session().corpus_score(metric, items)
    return statistics


def _watch(run: MetricRun) -> Callable[[int, int], None]:
    """A listener to progress that ends the scoring of a run nobody wants or that takes too long."""
    longest = settings.SUBMISSION_RUN_SECONDS

    def look(done: int, total: int) -> None:
        if not runs.is_wanted(run):
            raise StoppedError
        if run.started_at and (now() - run.started_at).total_seconds() > longest:
            raise ExternalMetricError(f"it took longer than {longest:,} s")

    return look
