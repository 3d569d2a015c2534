"""Who may do what with a study: every page, route and command asks here."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from annotation.studies.models import Study, StudyMember
from core.accounts.roles import Role


class StudyMissingError(LookupError):
    """There is no such study, or the person must not know of it: they read the same."""


class RoleNeededError(Exception):
    """The person knows of the study, but their role is too small; the message says which is needed
    and who gives it."""


RESEARCHERS_ONLY = "Researchers begin studies. Ask an administrator to make you one."


def may_begin_studies(user: Any) -> bool:
    """Whether a person is a researcher."""
    return bool(user.is_staff)


def study_for(user: Any, slug: str, needs: Role) -> Study:
    """The study, for somebody whose role on it allows what `needs` may; administrators may all.

    It bears the person's role as `study.role` (None: an administrator without one). Raises
    StudyMissingError where it must not even be known, and RoleNeededError.
    """
    study = Study.objects.filter(slug=slug).select_related("owner").first()
    role = role_on(user, study) if study else None
    if study is None or not (role or study.published_at or user.is_superuser):
        raise StudyMissingError("There is no such study.")
    if not (user.is_superuser or (role and role.allows(needs))):
        raise RoleNeededError(_needed(study, role, needs))
    study.role = role
    return study


def studies_for(user: Any) -> QuerySet[Study]:
    """The studies a person has a role on, latest first; for administrators all."""
    if user.is_superuser:
        return Study.objects.all()
    if not user.is_authenticated:
        return Study.objects.none()
    return Study.objects.filter(members__user=user)


def published() -> QuerySet[Study]:
    """The studies that anybody may know of, latest first."""
    return Study.objects.filter(published_at__isnull=False)


def role_on(user: Any, study: Study) -> Role | None:
    """A person's role on a study; None without one."""
    if not user.is_authenticated:
        return None
    found = StudyMember.objects.filter(study=study, user=user).values_list("role", flat=True)
    role = found.first()
    return None if role is None else Role(role)


def allows(user: Any, study: Study, needs: Role) -> bool:
    """Whether a person may do with the study what `needs` may."""
    role = role_on(user, study)
    return user.is_superuser or (role is not None and role.allows(needs))


def _needed(study: Study, role: Role | None, needs: Role) -> str:
    """Members read who the owners are; others only that there are some."""
    own = f"you are its {role.value}" if role else "you are not a member of it"
    if role is None:
        return f"This takes the role {needs.value} on the study, and {own}. Its owners give roles."
    owners = StudyMember.objects.filter(study=study, role=Role.OWNER).select_related("user")
    names = ", ".join(owner.user.get_username() for owner in owners) or "an administrator"
    return f"This takes the role {needs.value} on the study; {own}. Roles are given by: {names}."
