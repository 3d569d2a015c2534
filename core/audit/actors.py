"""Who acts: an account, an API token of one, a command in a shell, or the system by itself.

The services take a `by` only where it belongs to what they store; who acts is the same for all
that one request, command or task does. So it lives in a context that its door sets once (the
middleware, `manage.py`, Celery's signal), and a service that lacks a `by` still knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

ACCOUNT, TOKEN, COMMAND, SYSTEM = "account", "token", "command", "system"
TOKEN_MODEL = "accounts.apitoken"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts. `user_id` and `token_id` are of the account and its token, where there are any;
    `name` is what people read, as it was at the time: the account's, with the token's, or the
    command's."""

    kind: str
    name: str
    user_id: int | None = None
    token_id: int | None = None

    @classmethod
    def account(cls, user: Any) -> Actor:
        return cls(ACCOUNT, user.get_username(), user.pk)

    @classmethod
    def token(cls, token: Any) -> Actor:
        return cls(TOKEN, f"{token.user.get_username()}, {token.name}", token.user_id, token.pk)

    @classmethod
    def command(cls, name: str) -> Actor:
        return cls(COMMAND, name)

    @classmethod
    def of(cls, subject: Any) -> Actor:
        """The actor that a row stands for. Raises TypeError for what is neither account nor
        token."""
        if isinstance(subject, cls):
            return subject
        if hasattr(subject, "get_username"):
            return cls.account(subject)
        if getattr(getattr(subject, "_meta", None), "label_lower", "") == TOKEN_MODEL:
            return cls.token(subject)
        raise TypeError(f"{subject!r} is no actor: give an account, a token or an Actor.")


SYSTEM_ACTOR = Actor(SYSTEM, "")
_acting: ContextVar[Callable[[], Actor]] = ContextVar("acting", default=lambda: SYSTEM_ACTOR)


@contextmanager
def acting_as(actor: Actor | Callable[[], Actor]) -> Iterator[None]:
    """Everything inside is done by this actor; a callable is asked when something is recorded."""
    before = _acting.set(actor if callable(actor) else lambda: actor)
    try:
        yield
    finally:
        _acting.reset(before)


def set_actor(actor: Actor) -> None:
    """What follows in this thread is done by this actor, until the next call: for doors that are
    told of a beginning and not surely of an end."""
    _acting.set(lambda: actor)


def current_actor(given: Any = None) -> Actor:
    """Who acts: `given` where a service was told, else whoever the context names.

    The context knows by which token an account acts, and a service is told the account alone: the
    context's word then says more of the same.
    """
    now = _acting.get()()
    if given is None:
        return now
    told = Actor.of(given)
    return now if now.user_id is not None and now.user_id == told.user_id else told
