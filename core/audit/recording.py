"""Writing down what was done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.db import models
from django.utils.timezone import now

from core.audit.actors import current_actor

# Who somebody is at a provider, and what opens a door, is written nowhere in the book.
FORBIDDEN = frozenset(
    {"provider_id", "worker_id", "identity", "password", "secret", "token", "session_id"}
)


class AuditError(ValueError):
    """A caller wants something in the book that must not be there: a fault of the program."""


def record(
    actor: Any,
    action: str,
    target: models.Model | tuple[str, str],
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    study: Any = None,
    judgment_set: Any = None,
) -> None:
    """Write down that `actor` did `action` to `target`, in the caller's transaction: what is
    undone was not done, and what is done is in the book.

    `actor` is an account, an ApiToken or an Actor; None for whoever acts now (core.audit.actors).
    `action` is `what.happened`, such as `stage.opened`. `target` is a row, or (kind, name) of
    what has none any more; a row's name is its `audit_name` where it has one, else its `str`.
    `before` and `after` hold what changed, by name, as JSON can hold it. `study` is the study it
    belongs to, `judgment_set` a set or its name. Raises AuditError for a name that could hold
    a provider's id or a secret.
    """
    for values in (before, after):
        refused = FORBIDDEN & _names(values)
        if refused:
            raise AuditError(f"{action}: {', '.join(sorted(refused))} must not be recorded.")
    who = current_actor(actor)
    kind, pk, name = _target(target)
    event = apps.get_model("audit", "AuditEvent")
    event._default_manager.create(
        at=now(),
        actor_kind=who.kind,
        actor_name=who.name[:300],
        actor_id=who.user_id,
        token_id=who.token_id,
        action=action,
        target_kind=kind,
        target_id=pk,
        target_name=name[:300],
        before=None if before is None else dict(before),
        after=None if after is None else dict(after),
        study_id=None if study is None else study.pk,
        judgment_set=getattr(judgment_set, "name", judgment_set) or "",
    )


def changed(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The entries in which two states of one thing differ."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return (
        {name: before[name] for name in names if name in before},
        {name: after[name] for name in names if name in after},
    )


def _target(target: models.Model | tuple[str, str]) -> tuple[str, str, str]:
    if isinstance(target, tuple):
        kind, name = target
        return kind, "", name
    name = getattr(target, "audit_name", None) or str(target)
    return str(target._meta.verbose_name), str(target.pk), name


def _names(value: Any) -> set[str]:
    """Every name in a JSON value, at any depth."""
    if isinstance(value, Mapping):
        found = {str(name) for name in value}
        return found.union(*(_names(one) for one in value.values()))
    if isinstance(value, list | tuple):
        return set().union(*(_names(one) for one in value))
    return set()
