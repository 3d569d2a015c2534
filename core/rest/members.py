"""Members of a study or judgment set: what the endpoints of both share."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.http import Http404
from django.utils.timezone import now
from rest_framework.request import Request

from concord.documents.account import MemberDocument
from concord.documents.conversion import fill
from core.accounts.members import MemberRow, Members
from core.accounts.models import Invitation
from core.accounts.roles import Role, SiteRole
from core.accounts.services import invitations
from core.accounts.views.shared import person


def member_document(row: MemberRow) -> MemberDocument:
    return fill(MemberDocument, row, username=row.user.username)


@dataclass(frozen=True)
class Membership:
    """The members of a study or judgment set, which invitations name by `kind` and `target`."""

    members: Members
    kind: str
    target: str

    def set_role(self, username: str, role: str) -> MemberRow:
        """Add a member or change a member's role. Raises Http404 for an unknown account."""
        row = self.members.rows.filter(user__username=username).first()
        if row is not None:
            self.members.change(row.pk, Role(role))
        else:
            user = User.objects.filter(username=username, is_active=True).first()
            if user is None:
                raise Http404("No account has this name. Send an invitation instead.")
            self.members.add(user, Role(role), at=now())
        changed: MemberRow = self.members.rows.get(user__username=username)
        return changed

    def remove(self, username: str) -> None:
        """Remove a member. Raises Http404, and RefusedError for the last owner."""
        row = self.members.rows.filter(user__username=username).first()
        if row is None:
            raise Http404("No member has this name.")
        self.members.remove(row.pk)

    def invite(self, request: Request, role: str, email: str) -> Invitation:
        """Create an invitation to a membership, and to an account for people without one."""
        return invitations.invite(
            person(request),
            SiteRole.SUBMITTER,
            kind=self.kind,
            target=self.target,
            role=Role(role),
            email=email,
            at=now(),
        )
