"""Write events to the audit log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypedDict

from django.apps import apps
from django.db import models
from django.utils.timezone import now

from core.audit.actors import Actor, current_actor

# The audit log cannot be changed: it must hold no provider's ids of workers, no texts about people
# and no credentials.
FORBIDDEN_NAMES = frozenset(
    {
        *("provider_id", "worker_id", "identity", "password", "secret", "token", "session_id"),
        *("comment", "feedback", "message", "note"),
    }
)


_records: ContextVar[bool] = ContextVar("records", default=True)


class NamedSet(Protocol):
    """A judgment set, of which the log keeps the name."""

    name: str


class AuditScope(TypedDict, total=False):
    """To which study or judgment set an event belongs."""

    study: models.Model | None
    judgment_set: NamedSet | str | None


class AuditError(ValueError):
    """A caller tried to record a forbidden field: a programming error."""


def record(
    actor: models.Model | Actor | None,
    action: str,
    target: models.Model | tuple[str, str],
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
    study: models.Model | None = None,
    judgment_set: NamedSet | str | None = None,
) -> None:
    """Record an event in the caller's transaction.

    actor: an account, an ApiToken or an Actor; None for the current one (core.audit.actors).
    action: what happened, such as `stage.opened`.
    target: a row, or (kind, name) of something that has no row. The name of a row is its
        `audit_name`, or its `str`.
    before, after: the changed fields as JSON values.
    study: the study to which the event belongs. judgment_set: a set or its name.

    Nothing is recorded in a block of `unrecorded`.

    Raises AuditError for a field name that could hold a provider's id, a text about a person or a
    secret.
    """
    for values in (before, after):
        if forbidden := FORBIDDEN_NAMES & _names(values):
            raise AuditError(f"{action}: {', '.join(sorted(forbidden))} must not be recorded.")
    if not _records.get():
        return
    by = current_actor(actor)
    kind, pk, name = _target(target)
    event = apps.get_model("audit", "AuditEvent")
    event._default_manager.create(
        at=now(),
        actor_kind=by.kind,
        actor_name=by.name[:300],
        actor_id=by.user_id,
        token_id=by.token_id,
        action=action,
        target_kind=kind,
        target_id=pk,
        target_name=name[:300],
        before=None if before is None else dict(before),
        after=None if after is None else dict(after),
        study_id=None if study is None else study.pk,
        judgment_set=getattr(judgment_set, "name", judgment_set) or "",
    )


@contextmanager
def unrecorded() -> Iterator[None]:
    """Record nothing in the block, which changes nothing and shows nothing."""
    token = _records.set(False)
    try:
        yield
    finally:
        _records.reset(token)


def changed(
    before: Mapping[str, object], after: Mapping[str, object]
) -> tuple[dict[str, object], dict[str, object]]:
    """The fields in which two states differ, from each state."""
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


def _names(value: object) -> set[str]:
    """All names in a JSON value, at any depth."""
    if isinstance(value, Mapping):
        names = {str(name) for name in value}
        return names.union(*(_names(one) for one in value.values()))
    if isinstance(value, list | tuple):
        return set().union(*(_names(one) for one in value))
    return set()
