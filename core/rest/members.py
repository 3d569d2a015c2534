"""Members of a study or a judgment set: what both rooms' endpoints share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from django.contrib.auth.models import User
from django.http import Http404
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request

from core.accounts.members import Members
from core.accounts.models import Invitation
from core.accounts.roles import Role, SiteRole
from core.accounts.services import invitations
from core.rest.serializers import Strict

ROLES = tuple(role.value for role in Role)


class MemberDocument(serializers.Serializer[Any]):
    """An account's role."""

    username = serializers.CharField(source="user.username")
    role = serializers.ChoiceField(ROLES)
    since = serializers.DateTimeField()


class GiveRole(Strict):
    role = serializers.ChoiceField(ROLES)


class InviteMember(GiveRole):
    email = serializers.EmailField(default="", allow_blank=True, help_text="For your own record.")


@dataclass(frozen=True)
class Membership:
    """The members of one thing; `kind` and `target` name it in invitations."""

    members: Members
    kind: str
    target: str

    def give(self, username: str, role: str) -> Any:
        """Make somebody a member, or change their role. Raises Http404 for an unknown account."""
        row = self.members.rows.filter(user__username=username).first()
        if row is not None:
            self.members.change(row.pk, Role(role))
        else:
            user = User.objects.filter(username=username, is_active=True).first()
            if user is None:
                raise Http404("There is no account of that name: invite them instead.")
            self.members.add(user, Role(role), at=now())
        return self.members.rows.get(user__username=username)

    def remove(self, username: str) -> None:
        """End a membership. Raises Http404, and MembershipError for the last owner."""
        row = self.members.rows.filter(user__username=username).first()
        if row is None:
            raise Http404("There is no such member.")
        self.members.remove(row.pk)

    def invite(self, request: Request, role: str, email: str) -> Invitation:
        """An invitation to be a member, and to an account, if the person has none."""
        return invitations.invite(
            cast(User, request.user),
            SiteRole.SUBMITTER,
            kind=self.kind,
            target=self.target,
            role=Role(role),
            email=email,
            at=now(),
        )
