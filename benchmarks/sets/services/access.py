"""Who may do what with a judgment set: every page, route and command asks here.

A version of a set is private until it is published. Its name has members, whose roles hold for all
its versions. A name that somebody must not know of stands in no list and in no error.
"""

from __future__ import annotations

from typing import Any

from benchmarks.sets.models import JudgmentSet, JudgmentSetQuerySet, SetMember
from benchmarks.sets.viewers import Viewer
from core.accounts.roles import Role


class SetMissingError(LookupError):
    """There is no such set, or the person must not know of it: they read the same. The message
    says what there is instead."""


class RoleNeededError(Exception):
    """The person knows of the set, but their role is too small; the message says which is needed
    and who gives it."""


def set_for(user: Any, reference: str, needs: Role | None = None) -> JudgmentSet:
    """The set called NAME (the latest version the person may see) or NAME@VERSION.

    It bears for whom it is read as `judgment_set.viewer`. Without `needs`, just to look: anybody
    sees what is public. Raises SetMissingError where it must not even be known, and
    RoleNeededError.
    """
    try:
        found = sets_for(user).named(reference)
    except JudgmentSet.DoesNotExist as error:
        raise SetMissingError(str(error)) from error
    found.viewer = Viewer.of(user, role_on(user, found.name))
    if needs is not None and not found.viewer.allows(needs):
        raise RoleNeededError(_needed(found, needs))
    return found


def sets_for(user: Any) -> JudgmentSetQuerySet:
    """The versions of sets that a person may see, each with `latest_version` among them."""
    return JudgmentSet.objects.visible_to(Viewer.of(user)).numbered()


def role_on(user: Any, name: str) -> Role | None:
    """A person's role on the sets of this name; None without one."""
    if not user.is_authenticated:
        return None
    found = SetMember.objects.filter(set_name=name, user=user).values_list("role", flat=True)
    role = found.first()
    return None if role is None else Role(role)


def allows(user: Any, name: str, needs: Role) -> bool:
    """Whether a person may do with the sets of this name what `needs` may."""
    role = role_on(user, name)
    return user.is_superuser or (role is not None and role.allows(needs))


def check_new_version(user: Any, name: str) -> None:
    """Raises RoleNeededError unless the person may make the next version of `name`: editors of a
    name that there is, researchers of a new one."""
    if JudgmentSet.objects.filter(name=name).exists():
        if not allows(user, name, Role.EDITOR):
            raise RoleNeededError(
                f"The name {name} is taken. Choose another one, or have an owner of that set make "
                "you its editor."
            )
    elif not user.is_staff:
        raise RoleNeededError("Researchers begin judgment sets. An administrator makes you one.")


def _needed(judgment_set: JudgmentSet, needs: Role) -> str:
    """Members read who the owners are; others only that there are some."""
    name, role = judgment_set.name, judgment_set.viewer.role
    if role is None:
        return (
            f"This takes the role {needs.value} on the judgment set {name}, and you are not a "
            "member of it. Its owners give roles, or an administrator does."
        )
    owners = SetMember.objects.filter(set_name=name, role=Role.OWNER).select_related("user")
    names = ", ".join(owner.user.get_username() for owner in owners) or "an administrator"
    return (
        f"This takes the role {needs.value} on the judgment set {name}; you are its {role.value}. "
        f"Roles are given by: {names}."
    )
