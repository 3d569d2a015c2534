"""The members of a study."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.urls import reverse

from annotation.studies.models import Study, StudyMember
from annotation.studies.services import access
from core.accounts import memberships
from core.accounts.members import Members, audit_recorder
from core.accounts.roles import Role, SiteUser
from core.refusals import RefusedError

KIND = "study"


def members(study: Study) -> Members:
    """The members of a study; each change is recorded in the audit log."""
    return Members(StudyMember, {"study": study}, audit_recorder("study", study, study=study))


def register() -> None:
    """Register studies for invitations."""
    kind = memberships.MembershipKind(
        KIND, "study", _may_invite, _join, lambda slug: reverse("study", args=[slug])
    )
    memberships.register(kind)


def _may_invite(user: SiteUser, slug: str) -> bool:
    study = Study.objects.filter(slug=slug).first()
    return study is not None and access.allows(user, study, Role.OWNER)


def _join(slug: str, user: User, role: Role, at: datetime) -> None:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise RefusedError("The study no longer exists.", "membership-refused")
    members(study).join(user, role, at=at)
