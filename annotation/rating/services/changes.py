"""Saving of ratings and drafts that arrive late or twice: the change that was made last counts.

A rating page saves while it is used, retries what it could not send, and may be open in two
windows, so changes may arrive in any order.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.rating.models import Assignment, Rating, RatingDraft
from annotation.rating.services.handing_out import save_rating
from annotation.rating.services.rating_checks import (
    CLOSED,
    DraftInput,
    RatingInput,
    RatingRefusedError,
    check_draft,
)


def save_change(
    assignment: Assignment,
    candidate_id: int,
    rating: RatingInput,
    *,
    made_at: datetime,
    at: datetime,
) -> Rating:
    """Save a rating made at `made_at`, unless a later one exists; returns the current rating.

    `made_at` is limited to the time between the assignment's start and `at`, which is now. Raises
    RatingRefusedError as `save_rating` does.
    """
    made_at = _limited(assignment, made_at, at)
    with transaction.atomic():
        Assignment.objects.select_for_update(of=("self",)).get(pk=assignment.pk)
        later = Rating.objects.filter(
            worker=assignment.worker_id, candidate=candidate_id, updated_at__gt=made_at
        ).first()
        return later or save_rating(assignment, candidate_id, rating, at=made_at)


def save_draft(
    assignment: Assignment,
    candidate_id: int,
    draft: DraftInput,
    *,
    made_at: datetime,
    at: datetime,
) -> None:
    """Save an answer that is not finished, unless a later rating or draft exists.

    Until it is finished the task cannot be submitted. Raises RatingRefusedError as `check_draft`
    does, and after submission.
    """
    made_at = _limited(assignment, made_at, at)
    check_draft(assignment, candidate_id, draft)
    with transaction.atomic():
        current = Assignment.objects.select_for_update(of=("self",)).get(pk=assignment.pk)
        if current.status not in (Assignment.Status.HELD, Assignment.Status.EXPIRED):
            raise RatingRefusedError(CLOSED)
        ratings = Rating.objects.made_in(current).filter(candidate=candidate_id)
        drafts = current.drafts.filter(candidate=candidate_id)
        if ratings.filter(updated_at__gt=made_at).exists():
            return
        if drafts.filter(made_at__gt=made_at).exists():
            return
        RatingDraft.objects.update_or_create(
            assignment=current,
            candidate_id=candidate_id,
            defaults={
                "choice": draft.choice,
                "answers": dict(draft.answers),
                "comment": draft.comment,
                "seconds": draft.seconds,
                "made_at": made_at,
            },
        )


def _limited(assignment: Assignment, made_at: datetime, at: datetime) -> datetime:
    """The time of a change, between the beginning of the present try and now."""
    return min(max(made_at, assignment.retried_at or assignment.started_at), at)
