"""What a worker does with chunks and with a run whose chunks are done.

A worker process keeps one session: one tokeniser, one METEOR, one cache for all its tasks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import cast

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
from core.workers.supervisor import JAVA
from scorers.encoders import Device

# A GPU needs more items at a time than a CPU to be busy.
_CHUNKS_AT_ONCE_ON_GPU = 16
_LOOK_SECONDS = 1.0


@lru_cache(maxsize=1)
def session() -> scorers.Session:
    """This process's session; within a worker its Java helpers are those of the machine."""
    return scorers.Session(cast(Device, settings.SCORING_DEVICE), os.environ.get(JAVA))


def chunks_at_once(lane: str) -> int:
    """How many chunks of a run are scored together on this machine."""
    on_gpu = lane == MetricRun.Lane.ENCODER and session().model_device == "cuda"
    return _CHUNKS_AT_ONCE_ON_GPU if on_gpu else 1


def score_chunks(chunks: Sequence[RunChunk]) -> bool:
    """Score claimed chunks of one run and store the results; True when the run is ready to be
    finished. A run that is stopped meanwhile is left within about a second."""
    run = chunks[0].run
    judgment_set, metric = run.judgment_set, metric_of(run)
    started = time.perf_counter()
    with heartbeat(*chunks):
        positions = np.concatenate([chunk.position_array for chunk in chunks])
        items = frames.items(judgment_set, positions.tolist(), context=bool(metric.needs))
        corpus = frames.corpus(judgment_set) if metric.set_dependent else None
        try:
            scores = session().score(metric, items, corpus=corpus, progress=_watch(run, metric))
        except StoppedError:
            return False
    elsewhere = isinstance(metric, EndpointMetric)
    device = "elsewhere" if elsewhere else session().device(metric)
    seconds = (time.perf_counter() - started) / len(items)
    ready, done = False, 0
    for chunk in chunks:
        part = scores[done : done + chunk.n_items]
        ready = runs.complete_chunk(chunk, part, seconds * chunk.n_items, device)
        done += chunk.n_items
    return ready


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


def _watch(run: MetricRun, metric: scorers.Metric) -> Callable[[int, int], None]:
    """A listener to progress that ends the scoring of a run nobody wants any more, and of somebody
    else's metric that takes too long."""
    external = isinstance(metric, ExternalMetric)
    longest = settings.SUBMISSION_RUN_SECONDS if external else None
    pause = 0.0 if external else _LOOK_SECONDS  # each call of somebody else's metric takes long
    looked_at = time.monotonic()

    def look(done: int, total: int) -> None:
        nonlocal looked_at
        if time.monotonic() - looked_at < pause:
            return
        looked_at = time.monotonic()
        if not runs.is_wanted(run):
            raise StoppedError
        if longest and run.started_at and (now() - run.started_at).total_seconds() > longest:
            raise ExternalMetricError(f"it took longer than {longest:,} s")

    return look
