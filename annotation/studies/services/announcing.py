"""What webhooks are told of studies, written down where it happens."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypedDict

from django.urls import reverse

from annotation.studies.models import Stage, Study
from annotation.studies.services import access
from core.accounts.roles import Role
from core.webhooks import targets
from core.webhooks.events import STUDY
from core.webhooks.services.emitting import emit
from core.webhooks.targets import Target


class StudyNews(TypedDict):
    """What every message of a study says of it."""

    study: str
    title: str
    path: str


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
    data = {**about(changed.study), "stage": changed.kind}
    emit(event, changed.study.slug, data, at=at, once=once)


def about(study: Study) -> StudyNews:
    return {"study": study.slug, "title": study.title, "path": _path(study)}


def _path(study: Study) -> str:
    return reverse("study", args=[study.slug])
