"""Changes of ratings: what raters answered before they changed or undid it, of submitted tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

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
class AnswerChange:
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
    next_at = Window(Lead("at"), partition_by=F("rating"), order_by=[F("at").asc(), F("pk").asc()])
    return (
        RatingChange.objects.filter(rating__in=kept_ratings(study))
        .select_related("rating__worker", "rating__candidate")
        .annotate(changed_at=Coalesce(next_at, F("rating__updated_at")))
        .order_by("-changed_at", "-pk")
    )


def changes_of(rows: Sequence[RatingChange]) -> list[AnswerChange]:
    """The changes that rows of `stored_changes` are, in their order. One query."""
    ratings = {row.rating_id for row in rows}
    stored: dict[int, list[RatingChange]] = defaultdict(list)
    for row in RatingChange.objects.filter(rating__in=ratings).order_by("rating", "at", "pk"):
        stored[row.rating_id].append(row)
    later = {one.pk: after for of_rating in stored.values() for one, after in pairwise(of_rating)}
    return [_change(row, later.get(row.pk)) for row in rows]


def _change(row: RatingChange, later: RatingChange | None) -> AnswerChange:
    """later: the next previous value of the same rating, if there is one."""
    rating = row.rating
    at = rating.updated_at if later is None else later.at
    after = _answered(rating if later is None else later)
    return AnswerChange(rating.worker.name, rating.candidate, at, _answered(row), after)


def _answered(row: Rating | RatingChange) -> Answered:
    return Answered(row.value, row.answers, row.comment)
