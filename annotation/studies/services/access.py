"""Roles and permissions of studies, for every page, API operation and command."""

from __future__ import annotations

from django.db.models import QuerySet

from annotation.studies.models import Study, StudyMember
from core.accounts.roles import Role, SiteUser
from core.refusals import RefusedError

RESEARCHERS_ONLY = "Only researchers can create studies. Ask an administrator for this role."


def may_create_studies(user: SiteUser) -> bool:
    """Whether a user is a researcher."""
    return bool(user.is_staff)


def study_for(user: SiteUser, slug: str, needs: Role) -> Study:
    """The study, if the user's role on it allows `needs`; administrators may do everything.

    `study.role` is the user's role (None for an administrator without one). Raises
    RefusedError if the user may not know of it or lacks the role.
    """
    study = Study.objects.filter(slug=slug).select_related("owner").first()
    role = role_on(user, study) if study else None
    if study is None or not (role or study.published_at or user.is_superuser):
        raise RefusedError("There is no such study.", "not-found")
    if not (user.is_superuser or (role and role.allows(needs))):
        raise RefusedError(_needed(study, role, needs), "role-needed")
    study.role = role
    return study


def studies_for(user: SiteUser) -> QuerySet[Study]:
    """The studies on which a user has a role, latest first; for administrators all."""
    if user.is_superuser:
        return Study.objects.all()
    if not user.is_authenticated:
        return Study.objects.none()
    return Study.objects.filter(members__user=user)


def published() -> QuerySet[Study]:
    """The published studies, latest first."""
    return Study.objects.filter(published_at__isnull=False)


def role_on(user: SiteUser, study: Study) -> Role | None:
    """A user's role on a study; None without one."""
    if not user.is_authenticated:
        return None
    roles = StudyMember.objects.filter(study=study, user=user).values_list("role", flat=True)
    role = roles.first()
    return None if role is None else Role(role)


def allows(user: SiteUser, study: Study, needs: Role) -> bool:
    """Whether a user's role on the study allows `needs`."""
    role = role_on(user, study)
    return user.is_superuser or (role is not None and role.allows(needs))


def _needed(study: Study, role: Role | None, needs: Role) -> str:
    """The message for a missing role. Only members read the owners' names."""
    current = f"you are its {role.value}" if role else "you are not a member of it"
    if role is None:
        return (
            f"This needs the role {needs.value} on the study, but {current}. Its owners give roles."
        )
    owners = StudyMember.objects.filter(study=study, role=Role.OWNER).select_related("user")
    names = ", ".join(owner.user.get_username() for owner in owners) or "an administrator"
    return f"This needs the role {needs.value} on the study, but {current}. Ask an owner: {names}."
