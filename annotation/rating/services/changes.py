"""Ratings that come late or twice: of several changes to one rating, the last made counts.

A rating page saves while its reader rates, keeps what it could not send, and may be open in two
windows. What arrives last need not be what was chosen last.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.rating.models import Assignment, Rating
from annotation.rating.services.handing_out import RatingInput, save_rating


def save_change(
    assignment: Assignment,
    candidate_id: int,
    given: RatingInput,
    *,
    made_at: datetime,
    at: datetime,
) -> Rating:
    """Keep a rating made at `made_at`, unless a later one is there; the rating that stands.

    `made_at` is taken between the assignment's start and `at`, which is now. Raises
    RatingRefusedError as `save_rating` does.
    """
    made_at = min(max(made_at, assignment.started_at), at)
    with transaction.atomic():
        Assignment.objects.select_for_update(of=("self",)).get(pk=assignment.pk)
        later = Rating.objects.filter(
            worker=assignment.worker_id, candidate=candidate_id, updated_at__gt=made_at
        ).first()
        return later or save_rating(assignment, candidate_id, given, at=made_at)
