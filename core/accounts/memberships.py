"""Registry of what an invitation can make somebody a member of.

The apps with studies and judgment sets register themselves when the site starts: accounts do not
depend on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from core.accounts.roles import Role


@dataclass(frozen=True)
class MembershipKind:
    """Something that has members: a study or a judgment set. `target` names one of them.

    noun: its name on pages. may_invite: whether a user may invite members. join: gives a user at
    least a role. page: the URL to which a new member is sent.
    """

    name: str
    noun: str
    may_invite: Callable[[User, str], bool]
    join: Callable[[str, User, Role, datetime], None]
    page: Callable[[str], str]


_kinds: dict[str, MembershipKind] = {}


def register(kind: MembershipKind) -> None:
    _kinds[kind.name] = kind


def kind_named(name: str) -> MembershipKind:
    """The registered kind of this name. Raises KeyError."""
    return _kinds[name]
