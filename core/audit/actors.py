"""Actors: an account, an API token, a management command, or the system.

The actor of a request, command or task is stored in a context variable, which the middleware,
`manage.py` or a Celery signal sets. Services take an argument `by` only if they store it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from django.db.models import Model

ACCOUNT, TOKEN, COMMAND, SYSTEM = "account", "token", "command", "system"
TOKEN_MODEL = "accounts.apitoken"


class ActingAccount(Protocol):
    """What the audit log reads of an account."""

    @property
    def pk(self) -> int: ...

    def get_username(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts. `name` is for people: the name of the account (and token) or of the command.

    `user_id` and `token_id` are the primary keys of the account and the token, if there are any.
    """

    kind: str
    name: str
    user_id: int | None = None
    token_id: int | None = None

    @classmethod
    def account(cls, user: ActingAccount) -> Actor:
        return cls(ACCOUNT, user.get_username(), user.pk)

    @classmethod
    def token(cls, token: Any) -> Actor:  # noqa: ANN401 - ApiToken is of a higher layer
        return cls(TOKEN, f"{token.user.get_username()}, {token.name}", token.user_id, token.pk)

    @classmethod
    def command(cls, name: str) -> Actor:
        return cls(COMMAND, name)

    @classmethod
    def of(cls, subject: Any) -> Actor:  # noqa: ANN401 - so is this
        """The actor for an account, an ApiToken or an Actor. Raises TypeError for others."""
        if isinstance(subject, cls):
            return subject
        if hasattr(subject, "get_username"):
            return cls.account(subject)
        if getattr(getattr(subject, "_meta", None), "label_lower", "") == TOKEN_MODEL:
            return cls.token(subject)
        raise TypeError(f"{subject!r} is not an account, an ApiToken or an Actor.")


SYSTEM_ACTOR = Actor(SYSTEM, "")
_context: ContextVar[Callable[[], Actor]] = ContextVar("actor", default=lambda: SYSTEM_ACTOR)


@contextmanager
def acting_as(actor: Actor | Callable[[], Actor]) -> Iterator[None]:
    """Set the actor for a block. A callable is called when something is recorded."""
    previous = _context.set(actor if callable(actor) else lambda: actor)
    try:
        yield
    finally:
        _context.reset(previous)


def set_actor(actor: Actor) -> None:
    """Set the actor of this thread until the next call, for signals that have no reliable end."""
    _context.set(lambda: actor)


def current_actor(by: Model | Actor | None = None) -> Actor:
    """The actor `by`, or that of the context when `by` is None.

    If both are the same account, the result is that of the context, which also knows the token.
    """
    in_context = _context.get()()
    if by is None:
        return in_context
    actor = Actor.of(by)
    is_same = in_context.user_id is not None and in_context.user_id == actor.user_id
    return in_context if is_same else actor
