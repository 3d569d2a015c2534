"""The members page of a study or judgment set; the app renders it in its own frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now

from core.accounts.forms import AddMemberForm, InviteMemberForm
from core.accounts.members import Members
from core.accounts.models import Invitation
from core.accounts.roles import Role, SiteRole
from core.accounts.services import invitations
from core.accounts.views.shared import invitation_link, person, send_invitation
from core.pages.queries import row_number
from core.refusals import RefusedError

Show = Callable[[dict[str, object], int], HttpResponse]


@dataclass(frozen=True)
class OpenInvitation:
    it: Invitation
    link: str


@dataclass(frozen=True)
class MembersPage:
    """The members page of a study or judgment set, which invitations name by `kind` and `target`.

    page_url: the URL of this page. after_leaving_url: where a member is sent who leaves.
    """

    members: Members
    kind: str
    target: str
    page_url: str
    after_leaving_url: str
    may_own: bool

    def answer(self, request: HttpRequest, show: Show) -> HttpResponse:
        """GET shows the members. POST adds, invites, changes, removes, withdraws or leaves, as the
        field `do` says. Members who are no owners can only look and leave."""
        if request.method != "POST":
            return show(self._context(request), 200)
        action = request.POST.get("do", "")
        if action != "leave" and not self.may_own:
            raise PermissionDenied("Only owners can change the members.")
        try:
            return self._perform(request, action, show)
        except RefusedError as error:
            messages.error(request, str(error))
            return redirect(self.page_url)

    def _perform(self, request: HttpRequest, action: str, show: Show) -> HttpResponse:
        if action == "add":
            return self._add(request, show)
        if action == "invite":
            return self._invite(request, show)
        if action == "change":
            role = _check_role(request.POST.get("role", ""))
            user = self.members.change(row_number(request.POST.get("member", "")) or 0, role)
            messages.success(request, f"{user.get_username()} now has the role {role.value}.")
        elif action == "remove":
            user = self.members.remove(row_number(request.POST.get("member", "")) or 0)
            messages.success(request, f"{user.get_username()} is no longer a member.")
        elif action == "leave":
            own = self.members.rows.filter(user=person(request)).first()
            self.members.remove(own.pk if own else 0)
            messages.success(request, "You are no longer a member.")
            return redirect(self.after_leaving_url)
        elif action == "withdraw":
            self._withdraw(request)
        else:
            raise RefusedError("Unknown action. Use the buttons on the page.", "membership-refused")
        return redirect(self.page_url)

    def _add(self, request: HttpRequest, show: Show) -> HttpResponse:
        form = AddMemberForm(request.POST, prefix="add")
        if not form.is_valid():
            return show(self._context(request, add=form), 422)
        user = form.cleaned_data["username"]
        self.members.add(user, form.selected_role(), at=now())
        role = form.selected_role().value
        messages.success(request, f"{user.get_username()} now has the role {role}.")
        return redirect(self.page_url)

    def _invite(self, request: HttpRequest, show: Show) -> HttpResponse:
        form = InviteMemberForm(request.POST, prefix="invite")
        if not form.is_valid():
            return show(self._context(request, invite=form), 422)
        made = invitations.invite(
            person(request),
            SiteRole.SUBMITTER,
            kind=self.kind,
            target=self.target,
            role=form.selected_role(),
            email=form.cleaned_data["email"],
            at=now(),
        )
        send_invitation(request, made)
        return redirect(self.page_url)

    def _withdraw(self, request: HttpRequest) -> None:
        pk = row_number(request.POST.get("invitation", "")) or 0
        open_invitations = invitations.to_membership(self.kind, self.target, at=now())
        invitation = open_invitations.filter(pk=pk).first()
        if invitation is None:
            raise RefusedError(
                "The invitation was already accepted or has expired.", "membership-refused"
            )
        invitations.withdraw(invitation, at=now())
        messages.success(request, "The invitation was withdrawn.")

    def _context(self, request: HttpRequest, **invalid: forms.Form) -> dict[str, object]:
        open_invitations: list[OpenInvitation] = []
        if self.may_own:
            open_invitations = [
                OpenInvitation(one, invitation_link(request, one))
                for one in invitations.to_membership(self.kind, self.target, at=now())
            ]
        return {
            "members": list(self.members.rows),
            "roles": list(Role),
            "open_invitations": open_invitations,
            "add_form": invalid.get("add") or AddMemberForm(prefix="add"),
            "invite_form": invalid.get("invite") or InviteMemberForm(prefix="invite"),
            "members_address": self.page_url,
        }


def _check_role(name: str) -> Role:
    if name not in Role.values:
        raise RefusedError(
            f"Unknown role. Choose one of {', '.join(Role.values)}.", "membership-refused"
        )
    return Role(name)
