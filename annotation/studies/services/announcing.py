"""Webhook events of studies."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

from django.urls import reverse

from annotation.studies.models import Stage, Study
from annotation.studies.services import access
from core.accounts.roles import Role, SiteUser
from core.refusals import RefusedError
from core.webhooks import targets
from core.webhooks.events import STUDY
from core.webhooks.services.emitting import emit
from core.webhooks.targets import EventTarget


class StudyNews(TypedDict):
    """The fields of every event of a study."""

    study: str
    title: str
    path: str


def register() -> None:
    """Register studies as targets of webhooks."""
    targets.register(STUDY, target)


def target(user: SiteUser, slug: str) -> EventTarget | None:
    """The study, for its members; None for users who may not see it."""
    try:
        study = access.study_for(user, slug, Role.VIEWER)
    except RefusedError:
        return None
    return EventTarget(STUDY, study.slug, study.title, _path(study))


def stage(event: str, changed: Stage, *, at: datetime, once: str = "") -> None:
    """Announce that a stage was opened, closed or completed."""
    data = {**about(changed.study), "stage": changed.kind}
    emit(event, changed.study.slug, data, at=at, once=once)


def about(study: Study) -> StudyNews:
    return {"study": study.slug, "title": study.title, "path": _path(study)}


def _path(study: Study) -> str:
    return reverse("study", args=[study.slug])
