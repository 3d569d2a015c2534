"""The life of a metric run: requested, divided into chunks, completed, failed, stopped.

Callers send the tasks (`tasks.enqueue`). `scheduling` decides which chunk is next. Each step may be
called twice, also by two processes at the same time, and has its effect once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache, partial

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import Avg, Exists, F, OuterRef
from numpy.typing import NDArray

from benchmarks.runs.external.metrics import ExternalMetric
from benchmarks.runs.models import MetricRun, RunChunk, Submission
from benchmarks.runs.services.metrics import OWN, metric_of, reads_context
from benchmarks.sets.fingerprints import KEY_BYTES
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from benchmarks.sets.services.announcing import emit_set_event
from concord.documents.statistics import RunStatistics
from core.deadlocks import retry_after_deadlock
from scorers import Metric, MetricError


def announce_run_end(run: MetricRun, *, at: datetime) -> None:
    """Emit that a run is complete or failed; for a private submission, only to its owner."""
    judgment_set = run.judgment_set
    data = {
        "judgment_set": str(judgment_set),
        "run": run.pk,
        "metric": run.metric,
        "signature": run.signature,
        "status": run.status,
        "reason": run.reason,
        "path": run.get_absolute_url(),
    }
    event = "run.done" if run.status == MetricRun.Status.COMPLETE else "run.failed"
    submission = run.submission
    is_private = submission is not None and submission.published_at is None
    owner = submission.owner if submission else None
    emit_set_event(event, judgment_set, data, at=at, owner=owner, is_private=is_private)


Status = MetricRun.Status
Chunks = RunChunk.Status

# The estimated time for a chunk on one core.
_CHUNK_SECONDS = 4.0


def request_runs(
    judgment_set: JudgmentSet, metrics: Sequence[Metric], *, at: datetime
) -> list[MetricRun]:
    """One run for each metric: the existing run with its signature, or a new one.

    A failed or cancelled run is queued again; the scores of its finished chunks are reused. Raises
    MetricError where an instance of the set has no reference and metrics compare with it.
    """
    check_references(judgment_set, metrics)
    return [_request_run(judgment_set, metric, at) for metric in metrics]


def count_without_references(judgment_set: JudgmentSet) -> int:
    """The number of the set's instances without a reference."""
    return judgment_set.instances.filter(references__len=0).count()


def check_references(judgment_set: JudgmentSet, metrics: Sequence[Metric]) -> None:
    """Raise MetricError, which names the metrics, where they compare answers with references and
    an instance of the set has none."""
    comparing = [metric.name for metric in metrics if metric.facts.reads_references]
    if comparing and (without := count_without_references(judgment_set)):
        raise MetricError(
            f"{without:,} instances of {judgment_set} have no reference to compare an answer with. "
            f"{', '.join(comparing)} cannot score them; submit scores instead."
        )


def request_submission_run(
    submission: Submission, metric: ExternalMetric, *, at: datetime
) -> MetricRun:
    """The run of a submission that workers score; queued again if it failed or was stopped."""
    return _request_run(submission.judgment_set, metric, at, submission)


@retry_after_deadlock
def complete_chunk(
    chunk: RunChunk,
    scores: NDArray[np.float64],
    seconds: float,
    device: str,
    items_per_second: float | None = None,
) -> bool:
    """Store a chunk's scores, unless another attempt has taken over. True if all chunks are done.

    items_per_second: where it was measured with this chunk.

    This locks the chunk, then the run; requesting a stopped run again locks them in reverse order.
    Of two transactions that deadlock, one is retried.
    """
    if scores.shape != (chunk.n_items,):
        raise ValueError(f"{chunk} has {chunk.n_items} items, not {scores.shape}")
    with transaction.atomic():
        written = chunk.held.update(
            status=Chunks.DONE, scores=scores.astype("<f8").tobytes(), lease_until=None
        )
        if written:
            MetricRun.objects.filter(pk=chunk.run_id).update(
                seconds=F("seconds") + seconds,
                n_computed=F("n_computed") + chunk.n_items,
                device=device,
                **({} if items_per_second is None else {"items_per_second": items_per_second}),
            )
    return bool(written) and not chunk.run.chunks.exclude(status=Chunks.DONE).exists()


def assemble_scores(run: MetricRun) -> NDArray[np.float64] | None:
    """The scores of a run whose chunks are done, shape (n_items,); None if one is not done."""
    if run.chunks.exclude(status=Chunks.DONE).exists():
        return None
    scores = np.frombuffer(bytes(run.known_scores or b""), dtype="<f8").copy()
    keys = item_keys(run.judgment_set, context=reads_context(run))
    computed = np.zeros(len(scores), dtype=bool)
    for chunk in run.chunks.order_by("index"):
        scores[chunk.position_array] = np.frombuffer(bytes(chunk.scores or b""), dtype="<f8")
        computed[chunk.position_array] = True
    computed_positions = {key: position for position, key in enumerate(keys) if computed[position]}
    for position, key in enumerate(keys):  # equal texts were computed once
        if key in computed_positions:
            scores[position] = scores[computed_positions[key]]
    return scores


def complete_run(
    run: MetricRun,
    scores: NDArray[np.float64],
    statistics: RunStatistics,
    *,
    at: datetime,
) -> bool:
    """Store a run's scores and statistics. Returns False if the run has ended already."""
    packed = scores.astype("<f8").tobytes()
    with transaction.atomic():
        done = run.complete(at=at, scores=packed, statistics=statistics, known_scores=None)
        if done:
            run.chunks.all().delete()
            announce_run_end(run, at=at)
    return done


def fail_run(run: MetricRun, reason: str, *, at: datetime) -> None:
    """End an active run with a reason. A retry reuses the scores of finished chunks."""
    with transaction.atomic():
        if run.fail(reason, at=at):
            announce_run_end(run, at=at)


def runs_to_finish() -> list[int]:
    """Active runs without an open chunk, such as those whose worker died before finishing."""
    open_chunks = RunChunk.objects.filter(run=OuterRef("pk")).exclude(status=Chunks.DONE)
    active = MetricRun.objects.filter(status__in=MetricRun.ACTIVE)
    return list(active.filter(~Exists(open_chunks)).values_list("pk", flat=True))


@retry_after_deadlock
def _request_run(
    judgment_set: JudgmentSet,
    metric: Metric,
    at: datetime,
    submission: Submission | None = None,
) -> MetricRun:
    corpus = frames.corpus(judgment_set) if metric.set_dependent else None
    signature = metric.signature(corpus)
    with transaction.atomic():
        run, is_new = MetricRun.objects.select_for_update().get_or_create(
            judgment_set=judgment_set,
            signature=signature,
            defaults={
                "metric": metric.name,
                "lane": _lane(metric),
                "cost": _seconds_per_item(metric, judgment_set),
                "multi_ref": OWN if submission else metric.multi_ref,
                "submission": submission,
                "n_items": judgment_set.n_items,
                "created_at": at,
            },
        )
        if is_new:
            _plan(run, judgment_set)
        else:
            run.queue_again(at=at)
    return run


def _plan(run: MetricRun, judgment_set: JudgmentSet) -> None:
    """Look up scores of earlier runs, and divide the other items into chunks, each text once."""
    context = reads_context(run)
    keys = item_keys(judgment_set, context=context)
    known = _known_scores(run.signature, set(keys), context=context)
    scores = np.array([known.get(key, np.nan) for key in keys], dtype="<f8")
    seen: set[bytes] = set(known)
    pending: list[int] = []
    for position, key in enumerate(keys):
        if key not in seen:
            seen.add(key)
            pending.append(position)
    run.known_scores = scores.tobytes()
    run.n_known = int(np.isfinite(scores).sum())
    run.save(update_fields=["known_scores", "n_known"])
    size = _chunk_size(run)
    RunChunk.objects.bulk_create(
        RunChunk(
            run=run,
            index=index,
            sent_at=run.created_at,
            n_items=len(part),
            positions=np.asarray(part, dtype="<i4").tobytes(),
        )
        for index, part in enumerate(
            pending[start : start + size] for start in range(0, len(pending), size)
        )
    )


def _lane(metric: Metric) -> str:
    if isinstance(metric, ExternalMetric):
        return MetricRun.Lane.EXTERNAL
    return MetricRun.Lane.ENCODER if metric.has_model else MetricRun.Lane.LIGHT


def _seconds_per_item(metric: Metric, judgment_set: JudgmentSet) -> float:
    """The estimated time for an item of the set with all its references, on one core."""
    mean = judgment_set.instances.aggregate(mean=Avg("references__len"))["mean"] or 1.0
    return metric.seconds_per_comparison * float(mean)


def _chunk_size(run: MetricRun) -> int:
    """The number of items of a chunk, so that other runs do not wait long."""
    metric = metric_of(run)
    if isinstance(metric, ExternalMetric):
        return min(settings.SCORING_CHUNK_SIZE, metric.chunk_items)
    return max(1, min(settings.SCORING_CHUNK_SIZE, int(_CHUNK_SECONDS / run.cost)))


def _known_scores(signature: str, keys: set[bytes], *, context: bool) -> dict[bytes, float]:
    """Scores by item key from complete runs and finished chunks with the same signature."""
    known: dict[bytes, float] = {}
    keys_of_set = lru_cache(maxsize=1)(partial(item_keys, context=context))
    for run in MetricRun.objects.filter(signature=signature, status=Status.COMPLETE):
        pairs = zip(keys_of_set(run.judgment_set), run.score_array.tolist(), strict=True)
        known.update((key, score) for key, score in pairs if key in keys and score == score)
    done = RunChunk.objects.filter(run__signature=signature, status=Chunks.DONE)
    for chunk in done.prefetch_related("run__judgment_set").order_by("run"):
        set_keys = keys_of_set(chunk.run.judgment_set)
        scores = np.frombuffer(bytes(chunk.scores or b""), dtype="<f8").tolist()
        for position, score in zip(chunk.position_array.tolist(), scores, strict=True):
            if set_keys[position] in keys and score == score:
                known[set_keys[position]] = score
    return known


def item_keys(judgment_set: JudgmentSet, *, context: bool) -> list[bytes]:
    """The 16-byte keys of a set's items, with their context for a metric that reads it."""
    packed = bytes(judgment_set.context_keys if context else judgment_set.text_keys)
    return [packed[start : start + KEY_BYTES] for start in range(0, len(packed), KEY_BYTES)]
