"""Registry of what a webhook can be about. Other apps register their kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth.models import User

from core.refusals import RefusedError
from core.webhooks.events import ACCOUNT


@dataclass(frozen=True)
class EventTarget:
    """A study, a judgment set (all versions), or an account.

    `key` names it in events. `is_own`: whether the user has a role on it.
    """

    kind: str
    key: str
    title: str
    path: str = ""
    is_own: bool = True


# Returns the target with this key if the user has access, else None.
Find = Callable[[User, str], EventTarget | None]
_finders: dict[str, Find] = {}


def register(kind: str, find: Find) -> None:
    """Register a kind of target with its function `find(user, key)`."""
    _finders[kind] = find


def kinds() -> list[str]:
    return [ACCOUNT, *sorted(_finders)]


def find(user: User, kind: str, key: str) -> EventTarget:
    """The target of a user's webhook.

    Raises RefusedError; the message is the same for a target that does not exist and for one to
    which the user has no access.
    """
    if not user.is_active:
        raise RefusedError("The account is deactivated.", "not-found")
    if kind == ACCOUNT:
        return EventTarget(ACCOUNT, str(user.pk), "all my studies and judgment sets")
    finder = _finders.get(kind)
    target = finder(user, key) if finder else None
    if target is None:
        raise RefusedError(
            f"There is no {kind} “{key}”, or you are not a member of it.", "not-found"
        )
    return target
