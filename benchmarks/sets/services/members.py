"""The members of a judgment set. Their roles hold for all its versions."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.urls import reverse

from benchmarks.sets.models import JudgmentSet, SetMember
from benchmarks.sets.services import access
from core.accounts import memberships
from core.accounts.members import Members, audit_recorder
from core.accounts.roles import Role

KIND = "judgment set"


def members(name: str) -> Members:
    """The members of the set `name`; changes are recorded in the audit log."""
    on_change = audit_recorder("set", ("judgment set", name), judgment_set=name)
    return Members(SetMember, {"set_name": name}, on_change)


def register() -> None:
    """Register judgment sets, so that invitations can give roles on them."""
    kind = memberships.MembershipKind(
        KIND, "judgment set", _may_invite, _join, lambda name: reverse("judgment-set", args=[name])
    )
    memberships.register(kind)


def _may_invite(user: User, name: str) -> bool:
    exists = JudgmentSet.objects.filter(name=name).exists()
    return exists and access.allows(user, name, Role.OWNER)


def _join(name: str, user: User, role: Role, at: datetime) -> None:
    members(name).join(user, role, at=at)
