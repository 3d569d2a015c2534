"""What one can be a member of: the rooms that have members say here how an invitation gives it.

Accounts know nothing of studies and judgment sets; those rooms register themselves when the site
starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from core.accounts.roles import Role


@dataclass(frozen=True)
class Kind:
    """A kind of thing that has members; `target` names one in an invitation.

    noun: what people call it. may_invite: whether a user may give roles on it. join: gives the
    role at least. page: the address a new member goes to.
    """

    name: str
    noun: str
    may_invite: Callable[[Any, str], bool]
    join: Callable[[str, User, Role, datetime], None]
    page: Callable[[str], str]


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    _kinds[kind.name] = kind


def kind_named(name: str) -> Kind:
    """Raises KeyError for a kind that nobody registered."""
    return _kinds[name]
