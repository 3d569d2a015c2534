"""Saving ratings and drafts of a task, in one transaction whose lock is the row of the assignment.

A rating page saves while it is used, retries what it could not send, and may be open in two
windows, so changes may arrive late, twice and in any order: the change that was made last counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Expression, QuerySet, Value

from annotation.rating.models import Assignment, HitCandidate, Rating, RatingChange, RatingDraft
from annotation.rating.services.rating_checks import CLOSED, Answer, RatedUnit, check_answer
from concord.protocols.answers import normalized
from concord.protocols.pairing import shown_order
from core.compiled_queries import CompiledQuery, Parameter, insert
from core.refusals import RefusedError


@contextmanager
def locked(pk: int, worker_id: int) -> Iterator[LockedTask]:
    """The task of this worker's assignment, locked during a block that is one transaction.

    Raises Assignment.DoesNotExist.
    """
    with transaction.atomic():
        yield LockedTask(_assignments_to_lock.get(pk=pk, worker=worker_id))


@CompiledQuery
def _assignments_to_lock() -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(pk=Parameter("pk"), worker=Parameter("worker"))
    return rows.select_related("protocol_version", "worker").select_for_update(of=("self",))


@CompiledQuery
def _ratings() -> QuerySet[Rating]:
    return Rating.objects.filter(assignment=Parameter("assignment"))


@CompiledQuery
def _drafts() -> QuerySet[RatingDraft]:
    return RatingDraft.objects.filter(assignment=Parameter("assignment"))


@CompiledQuery
def _single_units() -> QuerySet[HitCandidate, tuple[int, str, int]]:
    return _units(Value(0))


@CompiledQuery
def _comparing_units() -> QuerySet[HitCandidate, tuple[int, str, int]]:
    return _units(Count("candidate__parts"))


def _units(count: Expression) -> QuerySet[HitCandidate, tuple[int, str, int]]:
    """The key and text of each candidate of a HIT, and how many it compares, in the HIT's order."""
    members = HitCandidate.objects.filter(hit=Parameter("hit")).order_by("position")
    return members.values_list("candidate", "candidate__text", count)


def ratings_of_try(assignment: Assignment) -> list[Rating]:
    """The ratings of a test's present try; else all of the assignment."""
    ratings = _ratings.rows(assignment=assignment.pk)
    return [one for one in ratings if _is_of_try(assignment, one)]


def drafts_of(assignment: Assignment) -> list[RatingDraft]:
    """The answers of an assignment that are not finished."""
    return _drafts.rows(assignment=assignment.pk)


def _is_of_try(assignment: Assignment, rating: Rating) -> bool:
    """Whether a rating was made in a test's present try; else always."""
    return assignment.retried_at is None or rating.updated_at >= assignment.retried_at


class LockedTask:
    """A task whose assignment is locked, with its units and its worker's ratings and drafts.

    All are by candidate, the units in the HIT's order. `ratings` includes those of earlier tries of
    a test.
    """

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.protocol = assignment.protocol_version.protocol
        query = _comparing_units if self.protocol.compares else _single_units
        units = query.rows(hit=assignment.hit_id)
        self.units = {candidate: RatedUnit(text, compared) for candidate, text, compared in units}
        ratings = _ratings.rows(assignment=assignment.pk)
        self.ratings = {rating.candidate_id: rating for rating in ratings}
        self.drafts = {draft.candidate_id: draft for draft in drafts_of(assignment)}

    @property
    def ratings_of_try(self) -> list[Rating]:
        """The ratings of a test's present try; else all."""
        return [one for one in self.ratings.values() if _is_of_try(self.assignment, one)]

    def save(self, candidate_id: int, answer: Answer, *, made_at: datetime, at: datetime) -> None:
        """Save an answer made at `made_at`, unless a later one exists.

        `made_at` is limited to the time between the beginning of the present try and `at`, which is
        now. Raises RefusedError for a candidate of another task, an invalid value or answer,
        what a rating needs and lacks, and after submission.
        """
        begun_at = self.assignment.retried_at or self.assignment.started_at
        made_at = min(max(made_at, begun_at), at)
        rating = self.ratings.get(candidate_id)
        is_late = rating is not None and rating.updated_at > made_at
        if answer.is_draft:
            self._save_draft(candidate_id, answer, is_late, made_at)
        elif not is_late:
            self.save_rating(candidate_id, answer, at=made_at)

    def save_rating(self, candidate_id: int, answer: Answer, *, at: datetime) -> Rating:
        """Save a rating, or change one until the task is submitted; an earlier draft is deleted.

        RatingChange stores the previous values. Ratings of an expired task are saved too, because
        it may still be submitted. Raises RefusedError as `save` does.
        """
        compared = self._check(candidate_id, answer).compared
        values = {
            "value": answer.value,
            "answers": normalized(self.protocol, answer.answers),
            "shown": shown_order(compared, self.assignment.seed, candidate_id),
            "comment": answer.comment,
            "seconds": answer.seconds,
            "updated_at": at,
        }
        rating = self.ratings.get(candidate_id)
        if rating is None:
            rating = Rating(
                assignment=self.assignment,
                candidate_id=candidate_id,
                worker=self.assignment.worker,
                simulated=self.assignment.worker.simulated,
                created_at=at,
                **values,
            )
            insert(rating)
            self.ratings[candidate_id] = rating
        else:  # also if it is the same: in the second try of a test it is given again
            if not self._is_undone(candidate_id):
                self._store_change(rating, values)
            for name, value in values.items():
                setattr(rating, name, value)
            rating.save(update_fields=list(values))
        if candidate_id in self.drafts and self.drafts[candidate_id].made_at <= at:
            self.drafts.pop(candidate_id).delete()
        return rating

    def _store_change(self, rating: Rating, values: Mapping[str, object] | None = None) -> None:
        """Store the values of a rating that is about to get these, if they differ; or to be
        undone."""
        previous = {name: getattr(rating, name) for name in ("value", "answers", "comment")}
        if values is None or any(values[name] != value for name, value in previous.items()):
            RatingChange.objects.create(rating=rating, at=rating.updated_at, **previous)

    def _is_undone(self, candidate_id: int) -> bool:
        """Whether the worker has undone the rating of the present try: its values are stored."""
        draft = self.drafts.get(candidate_id)
        return draft is not None and not draft.choice and self._is_rated(candidate_id)

    def _is_rated(self, candidate_id: int) -> bool:
        """Whether there is a rating of the present try."""
        rating = self.ratings.get(candidate_id)
        return rating is not None and _is_of_try(self.assignment, rating)

    def _save_draft(
        self, candidate_id: int, answer: Answer, is_late: bool, made_at: datetime
    ) -> None:
        """Save an answer that is not finished, unless a later rating or draft exists.

        Until it is finished the task cannot be submitted. Without a choice it undoes the rating,
        whose values RatingChange stores.
        """
        self._check(candidate_id, answer)
        draft = self.drafts.get(candidate_id)
        if is_late or (draft is not None and draft.made_at > made_at):
            return
        if (
            not answer.is_chosen
            and self._is_rated(candidate_id)
            and not self._is_undone(candidate_id)
        ):
            self._store_change(self.ratings[candidate_id])
        draft = draft or RatingDraft(assignment=self.assignment, candidate_id=candidate_id)
        draft.choice, draft.answers = answer.choice, dict(answer.answers)
        draft.comment, draft.seconds = answer.comment, answer.seconds
        draft.made_at = made_at
        draft.save()
        self.drafts[candidate_id] = draft

    def _check(self, candidate_id: int, answer: Answer) -> RatedUnit:
        unit = check_answer(self.protocol, self.units.get(candidate_id), answer)
        if self.assignment.status not in Assignment.OPEN:
            raise RefusedError(CLOSED, "rating-refused")
        return unit
