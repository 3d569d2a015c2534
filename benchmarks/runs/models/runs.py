"""Metric runs: the scores of one metric on one judgment set, computed in chunks."""

from __future__ import annotations

from datetime import datetime

import numpy as np
from django.db import models
from django.db.models import Q, Sum
from django.db.models.functions import Coalesce
from django.urls import reverse
from numpy.typing import NDArray

from benchmarks.runs.models.submissions import Submission
from benchmarks.sets.models import Criterion, JudgmentSet
from benchmarks.sets.viewers import Viewer
from core.jobs import queues
from core.jobs.models import MAX_TRIES, BaseJob, Retryable


class RunManager(models.Manager["MetricRun"]):
    """Defers the runs' arrays of scores."""

    def get_queryset(self) -> models.QuerySet[MetricRun]:
        return super().get_queryset().defer("scores", "known_scores")


class MetricRunQuerySet(models.QuerySet["MetricRun"]):
    def visible_to(self, viewer: Viewer) -> MetricRunQuerySet:
        """Without private submissions of other accounts."""
        if viewer.every_run:
            return self
        public = Q(submission__isnull=True) | Q(submission__published_at__isnull=False)
        own = Q() if viewer.user is None else Q(submission__owner=viewer.user)
        return self.filter(public | own)

    def with_progress(self) -> MetricRunQuerySet:
        """Annotate each run with `pending`, its items to compute, and `scored_in_chunks` of
        them."""
        done = Q(chunks__status=RunChunk.Status.DONE)
        return self.annotate(
            scored_in_chunks=Coalesce(Sum("chunks__n_items", filter=done), 0),
            pending=Coalesce(Sum("chunks__n_items"), 0),
        )


class MetricRun(BaseJob):
    """One metric, with its options, over one judgment set.

    `scores`: when complete, one little-endian float64 for each item of the set (candidates by
    position, then the members of the pairs). `known_scores`: the scores of earlier runs with the
    same signature, NaN for items that this run has to compute. With a `submission`, `metric` is
    the submission's name (see `services.metrics.metric_of`).
    """

    class Lane(models.TextChoices):
        LIGHT = queues.LIGHT
        ENCODER = queues.ENCODER
        EXTERNAL = queues.EXTERNAL

    judgment_set = models.ForeignKey(JudgmentSet, models.CASCADE, related_name="runs")
    submission = models.OneToOneField(
        Submission, models.CASCADE, null=True, blank=True, related_name="run"
    )
    metric = models.CharField(max_length=200)
    lane = models.CharField(
        max_length=10, choices=Lane, default=Lane.LIGHT, help_text="The workers that score it."
    )
    cost = models.FloatField(
        default=0.0, help_text="Estimated seconds per item; cheap runs come first."
    )
    served_at = models.DateTimeField(null=True, help_text="When a chunk of it was last claimed.")
    multi_ref = models.CharField(max_length=10)
    signature = models.CharField(max_length=500)
    n_items = models.PositiveIntegerField()
    n_known = models.PositiveIntegerField(default=0, help_text="Scores taken from earlier runs.")
    n_computed = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0.0, help_text="Time spent scoring, over all chunks.")
    items_per_second = models.FloatField(
        null=True, help_text="Speed of the metric alone, without start-up; see scorers.speed."
    )
    device = models.CharField(max_length=40, default="cpu")
    known_scores = models.BinaryField(null=True)
    scores = models.BinaryField(null=True)
    statistics = models.JSONField(null=True)
    started_at = models.DateTimeField(null=True)

    objects = RunManager.from_queryset(MetricRunQuerySet)()

    class Meta:
        base_manager_name = "objects"
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["judgment_set", "signature"], name="one_run_per_signature"
            ),
            models.CheckConstraint(
                condition=~Q(status="complete") | Q(scores__isnull=False),
                name="a_complete_run_has_scores",
            ),
        ]
        indexes = [
            models.Index(
                fields=["lane"],
                condition=Q(status__in=["queued", "running"]),
                name="active_runs_of_a_lane",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.metric} on {self.judgment_set}"

    def get_absolute_url(self) -> str:
        return reverse("metric-run", args=[str(self.judgment_set), self.pk])

    @property
    def progress(self) -> tuple[int, int]:
        """Items scored in chunks, and items to compute. Needs `with_progress()`."""
        return getattr(self, "scored_in_chunks", 0), getattr(self, "pending", 0)

    def queue_again(self, *, at: datetime) -> bool:
        """Queue a failed or stopped run again, with its open chunks. False: it is neither."""
        if is_queued := self._queue_again(started_at=None):
            self.started_at = None
            open_chunks = self.chunks.exclude(status=RunChunk.Status.DONE)
            open_chunks.update(status=RunChunk.WAITING, tries=0, lease_until=None, sent_at=at)
        return is_queued

    @property
    def score_array(self) -> NDArray[np.float64]:
        """The scores, shape (n_items,), read-only. Raises ValueError if it is not complete."""
        if self.scores is None:
            raise ValueError(f"{self} is {self.status} and has no scores")
        return np.frombuffer(_bytes(self.scores), dtype="<f8")


class CriterionStatistics(models.Model):
    """The statistics of a complete run on one criterion of its set, once a board was read; those
    on the score are in the run."""

    run = models.ForeignKey(MetricRun, models.CASCADE, related_name="criterion_statistics")
    criterion = models.ForeignKey(Criterion, models.CASCADE, related_name="statistics")
    statistics = models.JSONField()

    class Meta:
        verbose_name_plural = "criterion statistics"
        constraints = [
            models.UniqueConstraint(
                fields=["run", "criterion"], name="one_row_per_run_and_criterion"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run}, {self.criterion}"


class RunChunk(Retryable):
    """Items of a run that one task scores. `positions`: their positions as little-endian int32.

    `tries` counts attempts since the run was last requested.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"

    WAITING, HELD = Status.QUEUED, Status.RUNNING

    run = models.ForeignKey(MetricRun, models.CASCADE, related_name="chunks")
    index = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    n_items = models.PositiveIntegerField()
    positions = models.BinaryField()
    scores = models.BinaryField(null=True)

    class Meta:
        ordering = ["run", "index"]
        constraints = [
            models.UniqueConstraint(fields=["run", "index"], name="one_chunk_per_index"),
            models.CheckConstraint(
                condition=~Q(status="done") | Q(scores__isnull=False),
                name="a_done_chunk_has_scores",
            ),
        ]
        indexes = [
            models.Index(fields=["status", "lease_until", "sent_at"], name="open_chunks"),
            models.Index(
                fields=["run", "index"],
                condition=~Q(status="done"),
                name="open_chunks_of_a_run",
            ),
        ]

    def __str__(self) -> str:
        return f"chunk {self.index} of {self.run_id}"

    @property
    def exhausted_reason(self) -> str:
        items = f"items {self.position_array[0]} to {self.position_array[-1]}"
        return f"Its worker died {MAX_TRIES} times while scoring {items}; see the worker's log."

    @property
    def position_array(self) -> NDArray[np.int32]:
        return np.frombuffer(_bytes(self.positions), dtype="<i4")


def _bytes(value: bytes | memoryview | None) -> bytes:
    """The value of a BinaryField as bytes; psycopg returns a memoryview."""
    return bytes(value) if value is not None else b""


def visible_runs(judgment_set: JudgmentSet) -> MetricRunQuerySet:
    """The metric runs that the set's viewer may see, with their submissions."""
    runs = MetricRun.objects.filter(judgment_set=judgment_set)
    visible = runs.visible_to(judgment_set.viewer).select_related("submission")
    return visible.defer("submission__choice_scores")
