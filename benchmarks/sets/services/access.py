"""Permissions on judgment sets, checked by all pages, the API and the commands.

A version of a set is private until it is published. Members have a role on all versions of a set.
Lists and errors never name a set that the person may not see.
"""

from __future__ import annotations

from benchmarks.sets.models import JudgmentSet, JudgmentSetQuerySet, SetMember
from benchmarks.sets.viewers import Viewer
from core.accounts.roles import Role, SiteUser
from core.refusals import RefusedError


def set_for(user: SiteUser, reference: str, needs: Role | None = None) -> JudgmentSet:
    """The set with the reference NAME (the latest version the person may see) or NAME@VERSION.

    needs: the role that is required; None to read it, which anybody may if it is public. The
    result's `viewer` is the person. Raises RefusedError if the person may not see the set, or
    lacks the role.
    """
    try:
        judgment_set = sets_for(user).named(reference)
    except JudgmentSet.DoesNotExist as error:
        raise RefusedError(str(error), "not-found") from error
    judgment_set.viewer = Viewer.for_user(user, role_on(user, judgment_set.name))
    if needs is not None and not judgment_set.viewer.allows(needs):
        raise RefusedError(_describe_needed_role(judgment_set, needs), "role-needed")
    return judgment_set


def sets_for(user: SiteUser) -> JudgmentSetQuerySet:
    """The versions of sets that a person may see, annotated with `latest_version`."""
    return JudgmentSet.objects.visible_to(Viewer.for_user(user)).numbered()


def role_on(user: SiteUser, name: str) -> Role | None:
    """A person's role on the set `name`, or None."""
    if not user.is_authenticated:
        return None
    member = SetMember.objects.filter(set_name=name, user=user).first()
    return None if member is None else Role(member.role)


def allows(user: SiteUser, name: str, needs: Role) -> bool:
    """Whether a person has the role `needs`, or a higher one, on the set `name`."""
    role = role_on(user, name)
    return user.is_superuser or (role is not None and role.allows(needs))


def check_new_version(user: SiteUser, name: str) -> None:
    """Raises RefusedError unless the person may make the next version of `name`.

    Editors may for an existing set, researchers for a new name.
    """
    if JudgmentSet.objects.filter(name=name).exists():
        if not allows(user, name, Role.EDITOR):
            raise RefusedError(
                f"The name {name} is taken. Choose another name, or ask an owner of that set to "
                "make you an editor.",
                "role-needed",
            )
    elif not user.is_staff:
        raise RefusedError(
            "Only researchers create judgment sets. Ask an administrator for the role researcher.",
            "role-needed",
        )


def _describe_needed_role(judgment_set: JudgmentSet, needs: Role) -> str:
    """The error for members and others. Only members learn the names of the owners."""
    name, role = judgment_set.name, judgment_set.viewer.role
    if role is None:
        return (
            f"This needs the role {needs.value} on the judgment set {name}. You are not a "
            "member of it. Ask one of its owners or an administrator."
        )
    owners = SetMember.objects.filter(set_name=name, role=Role.OWNER).select_related("user")
    names = ", ".join(owner.user.get_username() for owner in owners) or "an administrator"
    return (
        f"This needs the role {needs.value} on the judgment set {name}. Your role is {role.value}. "
        f"Ask an owner: {names}."
    )
