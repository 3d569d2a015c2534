"""Changes of ratings: what raters answered before they changed or undid it, of submitted tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, QuerySet, Window
from django.db.models.functions import Coalesce, Lead

from annotation.quality.services.rating_data import kept_ratings
from annotation.rating.models import Rating, RatingChange
from annotation.studies.models import Study, StudyCandidate


@dataclass(frozen=True)
class Answered:
    """What a rater answered; `value` is None for "cannot judge"."""

    value: int | None
    answers: Mapping[str, object]
    comment: str


@dataclass(frozen=True)
class Change:
    """A change of a rating: by whom, under the name in the study, and when the later answer was
    given. is_undone: the rater took the answer back and gave the same again."""

    worker: str
    candidate: StudyCandidate
    at: datetime
    before: Answered
    after: Answered

    @property
    def is_undone(self) -> bool:
        return self.before == self.after


def stored_changes(study: Study) -> QuerySet[RatingChange]:
    """The previous values of the kept ratings of a study, the last change first."""
    later = {"partition_by": F("rating"), "order_by": [F("at").asc(), F("pk").asc()]}
    return (
        RatingChange.objects.filter(rating__in=kept_ratings(study))
        .select_related("rating__worker", "rating__candidate")
        .annotate(
            next=Window(Lead("pk"), **later),
            changed_at=Coalesce(Window(Lead("at"), **later), F("rating__updated_at")),
        )
        .order_by("-changed_at", "-pk")
    )


def changes_of(rows: Sequence[RatingChange]) -> list[Change]:
    """The changes that rows of `stored_changes` are, in their order. One query."""
    later = RatingChange.objects.in_bulk([row.next for row in rows if row.next])
    return [
        Change(
            row.rating.worker.name,
            row.rating.candidate,
            row.changed_at,
            _answered(row),
            _answered(later.get(row.next, row.rating)),
        )
        for row in rows
    ]


def _answered(row: Rating | RatingChange) -> Answered:
    return Answered(row.value, row.answers, row.comment)
