"""Pausing and resuming an open stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation.studies.models import Stage
from concord.bounds import find_problems, text
from concord.sentences import to_sentence
from core import audit
from core.refusals import RefusedError

PAUSED, RESUMED = "stage.paused", "stage.resumed"


@dataclass(frozen=True, slots=True)
class PauseReason:
    """Why a stage is paused."""

    reason: str = field(
        metadata=text(
            500,
            required="say why the stage is paused",
            label="Reason",
            help="For the audit log. Raters do not see it.",
        )
    )


def pause_stage(stage: Stage, reason: str, *, by: User, at: datetime) -> None:
    """Hand out no HITs until the stage is resumed. Tasks in progress may be submitted.

    The reason is in the audit log; workers do not see it. Raises RefusedError if the stage is not
    open or paused already, and for a reason that is empty or too long.
    """
    reason = reason.strip()
    for problem in find_problems(PauseReason(reason)).values():
        raise RefusedError(to_sentence(problem), "study-refused")
    with transaction.atomic():
        stage = (
            Stage.objects.select_for_update(of=("self",)).select_related("study").get(pk=stage.pk)
        )
        if stage.status != Stage.Status.OPEN:
            raise RefusedError(f"The {stage.kind} stage is not open.", "study-refused")
        if stage.paused_at is not None:
            raise RefusedError(f"The {stage.kind} stage is paused already.", "study-refused")
        stage.paused_at = at
        stage.save(update_fields=["paused_at"])
        audit.record(by, PAUSED, stage, after={"reason": reason}, study=stage.study)


def resume_stage(stage: Stage, *, by: User) -> None:
    """Hand out HITs again. Raises RefusedError if the stage is not paused."""
    with transaction.atomic():
        if not Stage.objects.filter(pk=stage.pk).exclude(paused_at=None).update(paused_at=None):
            raise RefusedError(f"The {stage.kind} stage is not paused.", "study-refused")
        audit.record(by, RESUMED, stage, study=stage.study)
