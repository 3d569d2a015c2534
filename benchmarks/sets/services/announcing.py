"""Webhook events of judgment sets."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypedDict

from django.contrib.auth.models import User

from annotation.studies.models import Study
from annotation.studies.services import announcing as studies
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from core.accounts.roles import SiteUser
from core.refusals import RefusedError
from core.webhooks import targets
from core.webhooks.events import SET
from core.webhooks.services.emitting import emit
from core.webhooks.targets import EventTarget


class SetEventData(TypedDict):
    """Data of every event of a set."""

    judgment_set: str
    path: str


def register() -> None:
    """Register judgment sets as targets of webhooks."""
    targets.register(SET, target)


def target(user: SiteUser, name: str) -> EventTarget | None:
    """The set `name` with all its versions; None if the person may see none of them."""
    try:
        judgment_set = access.set_for(user, name)
    except RefusedError:
        return None
    title, path = f"judgment set {judgment_set.name}", judgment_set.get_absolute_url()
    return EventTarget(
        SET, judgment_set.name, title, path, is_own=judgment_set.viewer.role is not None
    )


def announce_import(judgment_set: JudgmentSet, *, at: datetime) -> None:
    """Emit that a version was made, by an import or a study."""
    data = {
        **_about(judgment_set),
        "candidates": judgment_set.n_candidates,
        "pairs": judgment_set.n_pairs,
    }
    emit_set_event("set.imported", judgment_set, data, at=at)


def announce_publication(judgment_set: JudgmentSet, *, at: datetime) -> None:
    """Emit that a version is public."""
    emit_set_event("set.published", judgment_set, _about(judgment_set), at=at)


def announce_freezing(study: Study, judgment_set: JudgmentSet, *, at: datetime) -> None:
    """Emit that a study was frozen to a version of a set."""
    data = {**studies.about(study), "judgment_set": str(judgment_set)}
    emit("study.frozen", study.slug, data, at=at)


def _about(judgment_set: JudgmentSet) -> SetEventData:
    return {"judgment_set": str(judgment_set), "path": judgment_set.get_absolute_url()}


def emit_set_event(
    event: str,
    judgment_set: JudgmentSet,
    data: Mapping[str, object],
    *,
    at: datetime,
    owner: User | None = None,
    is_private: bool = False,
) -> None:
    """Emit an event to the webhooks of those who may see this version of the set.

    is_private: only `owner` may see the event.
    """

    def may_see(user: SiteUser) -> bool:
        if is_private and user != owner:
            return False
        return access.sets_for(user).filter(pk=judgment_set.pk).exists()

    emit(event, judgment_set.name, data, at=at, may_see=may_see, owner=owner)
