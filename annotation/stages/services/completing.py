"""Announcing stages that are complete."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.rating.models import Assignment, Hit
from annotation.studies.models import Stage
from annotation.studies.services import announcing


def is_complete(stage: Stage) -> bool:
    """Whether no HIT of the stage is open or in progress; one query, as a HIT may change from one
    to the other at any time."""
    return not _unfinished(stage.hits.all()).exists()


def has_all_ratings(stage: Stage) -> bool:
    """Whether an open stage has all its ratings, and those of no further wave are to come."""
    return _complete_stages().filter(pk=stage.pk).exists()


def announce_complete(*, at: datetime) -> int:
    """Announce open stages that have all required ratings, each once; returns how many there are.

    A stage with more ratings requested later is announced again when it is complete again.
    """
    complete = _complete_stages().select_related("study").annotate(n_hits=Count("hits"))
    for one in complete:
        with transaction.atomic():
            announcing.stage(
                "stage.complete", one, at=at, once=f"stage {one.pk} with {one.n_hits} HITs"
            )
    return len(complete)


def _complete_stages() -> QuerySet[Stage]:
    """Open stages that have all required ratings."""
    hits = Hit.objects.filter(stage=OuterRef("pk"))
    return (
        Stage.objects.filter(Exists(hits), status=Stage.Status.OPEN)
        .filter(~Exists(_unfinished(hits)))
        .exclude(kind=Stage.Kind.QUALIFICATION)
        # The next wave of a sampled stage follows by itself.
        .exclude(sampling__isnull=False, sampling__ended_at=None)
    )


def _unfinished(hits: QuerySet[Hit]) -> QuerySet[Hit]:
    """Those that are open or in progress."""
    held = Assignment.objects.filter(hit=OuterRef("pk"), status=Assignment.Status.HELD)
    return hits.filter(Q(open_slots__gt=0) | Exists(held))
