"""What webhooks are told of studies, written down where it happens."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef
from django.urls import reverse

from annotation.rating.models import Assignment, Hit
from annotation.studies.models import Stage, Study
from annotation.studies.services import access
from core.accounts.roles import Role
from core.webhooks import targets
from core.webhooks.events import STUDY
from core.webhooks.services.emitting import emit
from core.webhooks.targets import Target


def register() -> None:
    """Let webhooks be about studies."""
    targets.register(STUDY, target)


def target(user: Any, slug: str) -> Target | None:
    """The study, for its members: who may not see its ratings is told of none of its stages."""
    try:
        study = access.study_for(user, slug, Role.VIEWER)
    except (access.StudyMissingError, access.RoleNeededError):
        return None
    return Target(STUDY, study.slug, study.title, _path(study))


def stage(event: str, changed: Stage, *, at: datetime, once: str = "") -> None:
    """A stage was opened, closed, or is complete."""
    data = about(changed.study) | {"stage": changed.kind}
    emit(event, changed.study.slug, data, at=at, once=once)


def complete_stages(*, at: datetime) -> int:
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
            stage("stage.complete", one, at=at, once=f"stage {one.pk} with {one.n_hits} HITs")
    return len(found)


def about(study: Study) -> dict[str, Any]:
    """What every message of a study says of it."""
    return {"study": study.slug, "title": study.title, "path": _path(study)}


def _path(study: Study) -> str:
    return reverse("study", args=[study.slug])
