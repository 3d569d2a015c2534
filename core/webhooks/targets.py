"""What a webhook may be about: the rooms above register their kinds, this one knows none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.webhooks.events import ACCOUNT


@dataclass(frozen=True)
class Target:
    """A study, a name of judgment sets, or an account: `key` is what events name it by, `is_own`
    whether the person who looks has a role on it."""

    kind: str
    key: str
    title: str
    path: str = ""
    is_own: bool = True


class TargetMissingError(LookupError):
    """There is no such thing, or the person must not know of it: they read the same."""


# Gives the target of this key to who may be told of it, else None.
Find = Callable[[Any, str], Target | None]
_finders: dict[str, Find] = {}


def register(kind: str, find: Find) -> None:
    """Let webhooks be about this kind of thing; `find(user, key)`."""
    _finders[kind] = find


def kinds() -> list[str]:
    return [ACCOUNT, *sorted(_finders)]


def find(user: Any, kind: str, key: str) -> Target:
    """What a person's webhook is about. Raises TargetMissingError."""
    if not user.is_active:
        raise TargetMissingError("The account is closed.")
    if kind == ACCOUNT:
        return Target(ACCOUNT, str(user.pk), "everything of mine")
    finder = _finders.get(kind)
    found = finder(user, key) if finder else None
    if found is None:
        raise TargetMissingError(f"There is no {kind} “{key}” that you are a member of.")
    return found
