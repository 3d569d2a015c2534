"""Live figures of a stage: who rates, pace, expected end, pay an hour, agreement, warnings.

The figures from all ratings (`QualityFigures`) are computed at most once a minute, and in at most
a twentieth of the time. All others come from a fixed number of queries that return at most a row
for each worker or interval.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Literal

from django.core.cache import cache
from django.db.models import (
    Count,
    DateTimeField,
    F,
    Func,
    Max,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce

from annotation.quality.services.rating_data import collect_ratings
from annotation.quality.services.worker_reports import passed_checks, warnings
from annotation.rating.models import Assignment, HitCandidate, Participation, Rating
from annotation.stages.services.pausing import PAUSED, RESUMED
from annotation.stages.services.stage_figures import PAID, StageProgress, stages_progress
from annotation.studies.models import Stage
from concord.documents.agreement import RatingsAlpha
from concord.filtering.report import alpha_row
from concord.planning.pace import RemainingTime, remaining_time
from core.audit.models import AuditEvent

By = Literal["hour", "day"]

ACTIVE_FOR = timedelta(minutes=10)
PACE_WINDOW = timedelta(hours=24)
PACE_INTERVALS = 24
# With fewer HITs submitted, a prediction would say nothing.
MIN_SUBMITTED = 3
QUALITY_SECONDS = 60
QUALITY_SHARE = 20
MAX_RATERS = 200
PLOTTED: Mapping[By, tuple[timedelta, int]] = {
    "hour": (timedelta(hours=1), 48),
    "day": (timedelta(days=1), 30),
}


@dataclass(frozen=True)
class HitInProgress:
    """A HIT in progress. `is_active`: something was rated, or it was begun, in the last minutes."""

    hit: int
    rated: int
    candidates: int
    seen_at: datetime
    is_active: bool


@dataclass(frozen=True)
class RaterFigures:
    """One worker's figures in the stage. `ratings` are submitted ones.

    cents_per_hour: pay of all submissions by the time on the rating page; None if unknown.
    """

    participation: Participation
    task: HitInProgress | None
    ratings: int
    in_last_hour: int
    seen_at: datetime | None
    cents_per_hour: float | None
    failed_checks: int
    checks: int
    warnings: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.participation.worker.name

    @property
    def is_active(self) -> bool:
        return self.task is not None and self.task.is_active


@dataclass(frozen=True)
class QualityFigures:
    """Agreement, warnings and hidden checks by worker, from the ratings `at` that time."""

    at: datetime
    ratings: int
    alpha: RatingsAlpha
    warnings: Mapping[int, tuple[str, ...]]
    checks: Mapping[int, list[bool]]


@dataclass(frozen=True)
class Prediction:
    """When the stage is expected to end, and the ends of the 95% prediction interval."""

    expected: datetime | None
    low: datetime | None
    high: datetime | None


class Monitor:
    """The live figures of a stage at this time, with ratings counted by hour or day.

    starts: the beginnings of the intervals of `counts`.
    """

    def __init__(self, stage: Stage, by: By, at: datetime) -> None:
        self.stage, self.at = stage, at
        self.quality = quality_figures(stage, at=at)
        self.progress = next(p for p in stages_progress(stage.study) if p.stage.pk == stage.pk)
        self.raters, self.cents_per_hour = _raters(stage, self.quality, at)
        self.last_change = _last_change(stage)
        self.prediction, self.no_prediction = _predict(self.progress, self.last_change, at)
        ratings = Rating.objects.filter(assignment__hit__stage=stage)
        self.recent = ratings.aggregate(
            hour=Count("pk", filter=Q(created_at__gt=at - timedelta(hours=1))),
            day=Count("pk", filter=Q(created_at__gt=at - timedelta(days=1))),
        )
        length, number = PLOTTED[by]
        end = _end_of(by, at)
        self.starts = [end - length * (number - index) for index in range(number)]
        self.counts = _count_by_interval(ratings, "created_at", length, number, end)

    @cached_property
    def wanted_ratings(self) -> int | None:
        """The ratings that the stage requests; None for the test, which any number may take."""
        if self.progress.wanted is None:
            return None
        members = HitCandidate.objects.filter(hit__stage=self.stage)
        wanted: int = members.aggregate(n=Sum("hit__wanted", default=0))["n"]
        return wanted

    @property
    def active(self) -> int:
        return sum(rater.is_active for rater in self.raters)

    @property
    def shown(self) -> list[RaterFigures]:
        """The raters who rate now, then those seen last."""
        return self.raters[:MAX_RATERS]


def quality_figures(stage: Stage, *, at: datetime) -> QualityFigures:
    """The figures from all ratings of the stage; cached, see above, once there is a rating."""
    key = f"annotation:monitor:{stage.pk}"
    figures: QualityFigures | None = cache.get(key)
    if figures is None:
        began = time.perf_counter()
        figures = _compute_quality(stage, at)
        took = time.perf_counter() - began
        if figures.ratings:
            cache.set(key, figures, max(QUALITY_SECONDS, QUALITY_SHARE * took))
    return figures


def _compute_quality(stage: Stage, at: datetime) -> QualityFigures:
    study = stage.study
    data = collect_ratings(study, [stage.kind])
    seed, level = study.seed % 2**32, study.current.protocol.level
    return QualityFigures(
        at=at,
        ratings=len(data),
        alpha=alpha_row(data.ratings, level, seed=seed),
        warnings={
            int(data.worker_ids[index]): tuple(texts)
            for index, texts in warnings(study, data).items()
        },
        checks=dict(passed_checks(study)),
    )


def _raters(
    stage: Stage, quality: QualityFigures, at: datetime
) -> tuple[list[RaterFigures], float | None]:
    """A row for each worker with a HIT of the stage; and the pay an hour of all together."""
    tasks = _tasks(stage, at)
    is_submitted = Q(assignment__status__in=PAID)
    ratings = {
        row["worker"]: row
        for row in Rating.objects.filter(assignment__hit__stage=stage)
        .order_by()
        .values("worker")
        .annotate(
            n=Count("pk", filter=is_submitted),
            recent=Count("pk", filter=Q(created_at__gt=at - timedelta(hours=1))),
            last=Max("updated_at"),
            timed=Count("pk", filter=is_submitted & Q(seconds__isnull=False)),
            seconds=Sum("seconds", filter=is_submitted),
        )
    }
    earned = dict(
        Assignment.objects.filter(hit__stage=stage, status__in=PAID)
        .order_by()
        .values_list("worker")
        .annotate(cents=Sum("pay_cents"))
    )
    people = stage.study.participations.filter(worker__in={*ratings, *tasks})
    rows, all_cents, all_hours = [], 0, 0.0
    for person in people.select_related("worker"):
        # A row of a query with aggregates.
        figures: Mapping[str, Any] = ratings.get(person.worker_id, {})
        task = tasks.get(person.worker_id)
        cents, hours = earned.get(person.worker_id, 0), _hours(figures)
        if hours:
            all_cents, all_hours = all_cents + cents, all_hours + hours
        checks = quality.checks.get(person.worker_id, [])
        rows.append(
            RaterFigures(
                participation=person,
                task=task,
                ratings=figures.get("n", 0),
                in_last_hour=figures.get("recent", 0),
                seen_at=task.seen_at if task else figures.get("last"),
                cents_per_hour=cents / hours if hours else None,
                failed_checks=checks.count(False),
                checks=len(checks),
                warnings=quality.warnings.get(person.worker_id, ()),
            )
        )
    begin = at - timedelta(days=36500)
    rows.sort(key=lambda row: (row.is_active, row.seen_at or begin), reverse=True)
    return rows, all_cents / all_hours if all_hours else None


def _hours(figures: Mapping[str, Any]) -> float:  # a row with aggregates
    """The time on submitted ratings; those without a time are taken to have the mean time."""
    timed = figures.get("timed", 0)
    return float(figures["seconds"] / timed * figures["n"] / 3600) if timed else 0.0


def _tasks(stage: Stage, at: datetime) -> dict[int, HitInProgress]:
    """By worker, the HIT in progress (the last one, if a platform gave out several)."""
    size = HitCandidate.objects.filter(hit=OuterRef("hit")).order_by().values("hit")
    held = (
        Assignment.objects.filter(
            hit__stage=stage, status=Assignment.Status.HELD, lease_until__gt=at
        )
        .annotate(
            rated=Count("ratings"),
            seen_at=Coalesce(Max("ratings__updated_at"), F("started_at")),
            size=Subquery(size.annotate(n=Count("pk")).values("n")),
        )
        .select_related("hit")
        .order_by("seen_at")
    )
    return {
        one.worker_id: HitInProgress(
            hit=one.hit.index,
            rated=one.rated,
            candidates=one.size,
            seen_at=one.seen_at,
            is_active=one.seen_at > at - ACTIVE_FOR,
        )
        for one in held
    }


def _last_change(stage: Stage) -> AuditEvent | None:
    """The last pause or resumption of the stage since it was opened."""
    events = AuditEvent.objects.of_study(stage.study).filter(
        action__in=(PAUSED, RESUMED), target_id=str(stage.pk), at__gte=stage.opened_at
    )
    return events.order_by("-pk").first() if stage.opened_at else None


def _predict(
    progress: StageProgress, change: AuditEvent | None, at: datetime
) -> tuple[Prediction | None, str]:
    """The expected end from the HITs submitted in the last day; or None and why."""
    stage = progress.stage
    remaining = (progress.wanted or 0) - progress.submitted
    if progress.wanted is None:
        return None, "Anybody may take the test."
    if remaining <= 0:
        return None, ""
    if not stage.hands_out or stage.opened_at is None:
        return None, "The stage hands out no HITs."
    start = max(stage.opened_at, at - PACE_WINDOW, *([change.at] if change else []))
    length = (at - start) / PACE_INTERVALS
    submissions = Assignment.objects.filter(hit__stage=stage, status=Assignment.Status.SUBMITTED)
    counts = (
        _count_by_interval(submissions, "submitted_at", length, PACE_INTERVALS, at)
        if length >= timedelta(seconds=1)
        else []
    )
    left = remaining_time(counts, remaining)
    if left is None or sum(counts) < MIN_SUBMITTED:
        return None, f"Fewer than {MIN_SUBMITTED} assignments were submitted in the last 24 hours."
    return _as_dates(left, length, at), ""


def _as_dates(left: RemainingTime, length: timedelta, at: datetime) -> Prediction:
    def date(intervals: float) -> datetime | None:
        """None if it is beyond the calendar."""
        try:
            return at + length * intervals
        except OverflowError:
            return None

    return Prediction(date(left.expected), date(left.low), date(left.high))


def _end_of(by: By, at: datetime) -> datetime:
    """The end of the hour or day, in UTC."""
    begin = at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return (begin if by == "hour" else begin.replace(hour=0)) + PLOTTED[by][0]


def _count_by_interval(
    rows: QuerySet[Model], field: str, length: timedelta, number: int, end: datetime
) -> list[int]:
    """How many rows have the time `field` in each of `number` intervals, the last until `end`."""
    start = end - length * number
    interval = Func(
        Value(length), F(field), Value(start), function="date_bin", output_field=DateTimeField()
    )
    by_interval = (
        rows.filter(**{f"{field}__gte": start, f"{field}__lt": end})
        .order_by()
        .values_list(interval)
        .annotate(n=Count("pk"))
    )
    counts = [0] * number
    for begin, n in by_interval:
        counts[min(number - 1, round((begin - start) / length))] += n
    return counts
