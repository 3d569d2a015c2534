"""Stages that have every rating they asked for."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Count, Exists, OuterRef

from annotation.rating.models import Assignment, Hit
from annotation.studies.models import Stage
from annotation.studies.services import announcing


def announce_complete(*, at: datetime) -> int:
    """Tell of open stages that have every rating they asked for, each once; how many there are.

    A stage that is topped up afterwards is told of again when it is complete again.
    """
    wanting = Hit.objects.filter(stage=OuterRef("pk"), open_slots__gt=0)
    held = Assignment.objects.filter(hit__stage=OuterRef("pk"), status=Assignment.Status.HELD)
    found = (
        Stage.objects.filter(~Exists(wanting), ~Exists(held), status=Stage.Status.OPEN)
        .exclude(kind=Stage.Kind.QUALIFICATION)
        .annotate(n_hits=Count("hits"))
        .filter(n_hits__gt=0)
        .select_related("study")
    )
    for one in found:
        with transaction.atomic():
            announcing.stage(
                "stage.complete", one, at=at, once=f"stage {one.pk} with {one.n_hits} HITs"
            )
    return len(found)
