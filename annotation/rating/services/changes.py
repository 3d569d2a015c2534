"""Saving of ratings that arrive late or twice: the change that was made last counts.

A rating page saves while it is used, retries what it could not send, and may be open in two
windows, so changes may arrive in any order.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.rating.models import Assignment, Rating
from annotation.rating.services.handing_out import RatingInput, save_rating


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
    made_at = min(max(made_at, assignment.started_at), at)
    with transaction.atomic():
        Assignment.objects.select_for_update(of=("self",)).get(pk=assignment.pk)
        later = Rating.objects.filter(
            worker=assignment.worker_id, candidate=candidate_id, updated_at__gt=made_at
        ).first()
        return later or save_rating(assignment, candidate_id, rating, at=made_at)
