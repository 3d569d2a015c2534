"""Scoring of chunks, and completion of runs, in a worker.

A worker process has one session, whose tokeniser, METEOR and cache serve all its tasks.
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
from benchmarks.runs.services import runs, training_overlap
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.services import frames
from concord.documents.statistics import RunStatistics
from concord.meta import run_statistics
from core.jobs.performing import StoppedError, perform
from core.workers.supervisor import JAVA
from scorers.encoders import Device

# A GPU needs larger batches than a CPU.
_CHUNKS_AT_ONCE_ON_GPU = 16
_CHECK_SECONDS = 1.0


@lru_cache(maxsize=1)
def session() -> scorers.Session:
    """The session of this process. In a worker, its Java helpers are shared by the machine."""
    return scorers.Session(cast(Device, settings.SCORING_DEVICE), os.environ.get(JAVA))


def chunks_at_once(lane: str) -> int:
    """The number of chunks of a run that are scored together on this machine."""
    on_gpu = lane == MetricRun.Lane.ENCODER and session().model_device == "cuda"
    return _CHUNKS_AT_ONCE_ON_GPU if on_gpu else 1


def score_chunks(chunks: Sequence[RunChunk]) -> bool:
    """Score claimed chunks of one run and store the results. True if all chunks are done.

    Scoring ends about a second after the run is stopped. An error fails the run.
    """
    run = chunks[0].run
    return _perform(run, lambda: _score(run, chunks), chunks)


def finish_run(run: MetricRun) -> bool:
    """Assemble a run's scores, compute its statistics and complete it. An error fails the run.

    Returns False if a chunk is not done or the run has ended already.
    """

    def finish() -> bool:
        scores = runs.assemble_scores(run)
        if scores is None:
            return False
        return runs.complete_run(run, scores, statistics_of(run, scores), at=now())

    return _perform(run, finish)


def _perform(run: MetricRun, work: Callable[[], bool], chunks: Sequence[RunChunk] = ()) -> bool:
    def fail(reason: str, _: Exception | None) -> None:
        runs.fail_run(run, reason, at=now())

    is_done = perform(run, work, parts=chunks, expected_errors=(ExternalMetricError,), fail=fail)
    return bool(is_done)


def _score(run: MetricRun, chunks: Sequence[RunChunk]) -> bool:
    judgment_set, metric = run.judgment_set, metric_of(run)
    started = time.perf_counter()
    positions = np.concatenate([chunk.position_array for chunk in chunks])
    items = frames.items(judgment_set, positions.tolist(), context=bool(metric.needs))
    corpus = frames.corpus(judgment_set) if metric.set_dependent else None
    scores = session().score(metric, items, corpus=corpus, progress=_stop_check(run, metric))
    seconds = (time.perf_counter() - started) / len(items)
    speed = None
    # Other people's servers get no texts but those of the set.
    if run.items_per_second is None and not isinstance(metric, ExternalMetric):
        speed = session().items_per_second(metric, items, corpus)
    device = "elsewhere" if isinstance(metric, EndpointMetric) else session().device(metric)
    is_ready, start = False, 0
    for chunk in chunks:
        chunk_scores = scores[start : start + chunk.n_items]
        is_ready = runs.complete_chunk(chunk, chunk_scores, seconds * chunk.n_items, device, speed)
        start += chunk.n_items
    return is_ready


def statistics_of(run: MetricRun, scores: NDArray[np.float64]) -> RunStatistics:
    """`run_statistics`, with the overlap with training data and corpus-level scores by system."""
    metric = metric_of(run)
    frame = frames.board_frame(run.judgment_set)
    statistics = run_statistics(frame, scores, higher_is_better=metric.higher_is_better)
    training_overlap.add_training_rows(statistics, metric, run.judgment_set)
    if metric.has_corpus_score and statistics["systems"]:
        positions = frames.system_positions(run.judgment_set)
        # Read once: the candidates of each system are spread over all blocks of a set.
        everything = range(run.judgment_set.n_candidates)
        items = frames.items(run.judgment_set, everything, context=bool(metric.needs))
        for row in statistics["systems"]:
            own = [items[position] for position in positions[row["system"]].tolist()]
            row["corpus"] = session().corpus_score(metric, own)
    return statistics


def _stop_check(run: MetricRun, metric: scorers.Metric) -> Callable[[int, int], None]:
    """A progress callback that raises StoppedError when the run was stopped, and
    ExternalMetricError when an external metric takes too long."""
    is_external = isinstance(metric, ExternalMetric)
    max_seconds = settings.SUBMISSION_RUN_SECONDS if is_external else None
    interval = 0.0 if is_external else _CHECK_SECONDS  # external metrics report rarely
    checked_at = time.monotonic()

    def check(done: int, total: int) -> None:
        nonlocal checked_at
        if time.monotonic() - checked_at < interval:
            return
        checked_at = time.monotonic()
        if not run.active.exists():
            raise StoppedError
        seconds = (now() - run.started_at).total_seconds() if run.started_at else 0.0
        if max_seconds and seconds > max_seconds:
            raise ExternalMetricError(f"it took longer than {max_seconds:,} s")

    return check
