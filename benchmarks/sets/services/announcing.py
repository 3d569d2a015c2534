"""What webhooks are told of judgment sets and metric runs, written down where it happens."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypedDict

from annotation.studies.models import Study
from annotation.studies.services import announcing as studies
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from core.webhooks import targets
from core.webhooks.events import SET
from core.webhooks.services.emitting import emit
from core.webhooks.targets import Target


class SetNews(TypedDict):
    """What every message of a set says of it."""

    judgment_set: str
    path: str


def register() -> None:
    """Let webhooks be about judgment sets."""
    targets.register(SET, target)


def target(user: Any, name: str) -> Target | None:
    """All versions of a set's name, for who may see one of them."""
    try:
        found = access.set_for(user, name)
    except access.SetMissingError:
        return None
    title, path = f"judgment set {found.name}", found.get_absolute_url()
    return Target(SET, found.name, title, path, is_own=found.viewer.role is not None)


def imported(judgment_set: JudgmentSet, *, at: datetime) -> None:
    """A version was made, by an import or a study."""
    data = {
        **_about(judgment_set),
        "candidates": judgment_set.n_candidates,
        "pairs": judgment_set.n_pairs,
    }
    tell("set.imported", judgment_set, data, at=at)


def published(judgment_set: JudgmentSet, *, at: datetime) -> None:
    """A version is there for everybody."""
    tell("set.published", judgment_set, _about(judgment_set), at=at)


def frozen(study: Study, judgment_set: JudgmentSet, *, at: datetime) -> None:
    """A study became a version of a set."""
    data = {**studies.about(study), "judgment_set": str(judgment_set)}
    emit("study.frozen", study.slug, data, at=at)


def _about(judgment_set: JudgmentSet) -> SetNews:
    return {"judgment_set": str(judgment_set), "path": judgment_set.get_absolute_url()}


def tell(
    event: str,
    judgment_set: JudgmentSet,
    data: Mapping[str, Any],
    *,
    at: datetime,
    whose: Any = None,
    is_private: bool = False,
) -> None:
    """Who may see this version is told of it: another version of its name may be public."""

    def may_see(user: Any) -> bool:
        if is_private and user != whose:
            return False
        return access.sets_for(user).filter(pk=judgment_set.pk).exists()

    emit(event, judgment_set.name, data, at=at, may_see=may_see, owner=whose)
