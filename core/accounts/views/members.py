"""The members page of a study or a judgment set; the room it belongs to frames it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now

from core.accounts.forms import AddMemberForm, InviteMemberForm
from core.accounts.members import Members, MembershipError
from core.accounts.models import Invitation
from core.accounts.roles import Role, SiteRole
from core.accounts.services import invitations
from core.accounts.views.shared import invitation_link, person, tell

Show = Callable[[dict[str, Any], int], HttpResponse]


@dataclass(frozen=True)
class OpenInvitation:
    it: Invitation
    link: str


@dataclass(frozen=True)
class MembersPage:
    """One thing's members: `kind` and `target` name it in invitations, `here` is the page's
    address, `away` where somebody goes who left."""

    members: Members
    kind: str
    target: str
    here: str
    away: str
    may_own: bool

    def answer(self, request: HttpRequest, show: Show) -> HttpResponse:
        """GET shows the members; POST adds, invites, changes, removes, withdraws or leaves, as
        `do` says. All but owners may only look and leave."""
        if request.method != "POST":
            return show(self._context(request), 200)
        do = request.POST.get("do", "")
        if do != "leave" and not self.may_own:
            raise PermissionDenied("Only owners say who the members are.")
        try:
            return self._done(request, do, show)
        except (MembershipError, invitations.InvitationError) as error:
            messages.error(request, str(error))
            return redirect(self.here)

    def _done(self, request: HttpRequest, do: str, show: Show) -> HttpResponse:
        if do == "add":
            return self._add(request, show)
        if do == "invite":
            return self._invite(request, show)
        if do == "change":
            role = Role(_one_of(request.POST.get("role", ""), Role.values))
            user = self.members.change(_number(request.POST.get("member", "")), role)
            messages.success(request, f"{user.get_username()} is {role.value} now.")
        elif do == "remove":
            user = self.members.remove(_number(request.POST.get("member", "")))
            messages.success(request, f"{user.get_username()} is not a member any more.")
        elif do == "leave":
            own = self.members.rows.filter(user=person(request)).first()
            self.members.remove(own.pk if own else 0)
            messages.success(request, "You are not a member any more.")
            return redirect(self.away)
        elif do == "withdraw":
            self._withdraw(request)
        else:
            raise MembershipError("There is nothing of that name to be done.")
        return redirect(self.here)

    def _add(self, request: HttpRequest, show: Show) -> HttpResponse:
        form = AddMemberForm(request.POST, prefix="add")
        if not form.is_valid():
            return show(self._context(request, add=form), 422)
        user = form.cleaned_data["username"]
        self.members.add(user, form.chosen(), at=now())
        messages.success(request, f"{user.get_username()} is {form.chosen().value} now.")
        return redirect(self.here)

    def _invite(self, request: HttpRequest, show: Show) -> HttpResponse:
        form = InviteMemberForm(request.POST, prefix="invite")
        if not form.is_valid():
            return show(self._context(request, invite=form), 422)
        made = invitations.invite(
            person(request),
            SiteRole.SUBMITTER,
            kind=self.kind,
            target=self.target,
            role=form.chosen(),
            email=form.cleaned_data["email"],
            at=now(),
        )
        tell(request, made)
        return redirect(self.here)

    def _withdraw(self, request: HttpRequest) -> None:
        pk = _number(request.POST.get("invitation", ""))
        found = invitations.to_membership(self.kind, self.target, at=now()).filter(pk=pk).first()
        if found is None:
            raise MembershipError("The invitation is not open any more.")
        invitations.withdraw(found, at=now())
        messages.success(request, "The invitation is withdrawn.")

    def _context(self, request: HttpRequest, **forms: Any) -> dict[str, Any]:
        found: list[OpenInvitation] = []
        if self.may_own:
            found = [
                OpenInvitation(one, invitation_link(request, one))
                for one in invitations.to_membership(self.kind, self.target, at=now())
            ]
        return {
            "members": list(self.members.rows),
            "roles": list(Role),
            "open_invitations": found,
            "add_form": forms.get("add") or AddMemberForm(prefix="add"),
            "invite_form": forms.get("invite") or InviteMemberForm(prefix="invite"),
            "members_address": self.here,
        }


def _number(given: str) -> int:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 19 else 0


def _one_of(given: str, values: list[str]) -> str:
    if given not in values:
        raise MembershipError("There is no such role.")
    return given
