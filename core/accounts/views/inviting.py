"""Send invitations to accounts, and accept them with a new or an existing account."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from core.accounts.forms import InviteForm, NewAccountForm
from core.accounts.models import Invitation
from core.accounts.roles import Role, SiteRole
from core.accounts.services import invitations
from core.accounts.views.shared import invitation_link, person, send_invitation
from core.refusals import RefusedError
from core.security.declarations import costs

BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def invite(request: HttpRequest) -> HttpResponse:
    """List the user's invitations, and send a new one."""
    user = person(request)
    if not (user.is_staff or user.is_superuser):
        raise PermissionDenied("Only researchers and administrators can invite people to accounts.")
    form = InviteForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        made = invitations.invite(
            user,
            SiteRole(form.value().site_role),
            email=form.value().email,
            at=now(),
        )
        send_invitation(request, made)
        return redirect("invitations")
    rows = [
        {"it": one, "link": invitation_link(request, one) if one.is_open(now()) else ""}
        for one in invitations.listed(user)[:200]
    ]
    context = {"form": form, "rows": rows}
    status = 422 if form.errors else 200
    return render(request, "accounts/invitations.html", context, status=status)


@require_POST
@login_required
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    invitation = invitations.listed(person(request)).filter(pk=pk).first()
    if invitation is None:
        raise Http404("You have no such invitation.")
    invitations.withdraw(invitation, at=now())
    messages.success(request, "The invitation was withdrawn.")
    return redirect("invitations")


@sensitive_post_parameters("password1", "password2")
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@costs("new-account")
def accept(request: HttpRequest, signed: str) -> HttpResponse:
    """Show an invitation. POST accepts it, for the signed-in account or a new one."""
    try:
        invitation = invitations.read(signed, at=now())
        if request.user.is_authenticated:
            return _accept_with_account(request, invitation)
        return _accept_with_new_account(request, invitation)
    except RefusedError as error:
        return render(request, "accounts/not_invited.html", {"reason": str(error)}, status=404)


@sensitive_post_parameters("password1", "password2")
@require_http_methods(["GET", "HEAD", "POST"])
@costs("new-account")
def sign_up(request: HttpRequest) -> HttpResponse:
    """Create a submitter's account, if OPEN_SIGN_UP allows it."""
    if not settings.OPEN_SIGN_UP:
        raise Http404("Accounts are created by invitation only.")
    if request.user.is_authenticated:
        return redirect("account")
    form = NewAccountForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        login(request, form.save(), backend=BACKEND)
        messages.success(request, "Your account was created, and you are signed in.")
        return redirect("judgment-sets")
    status = 422 if form.errors else 200
    return render(request, "accounts/sign_up.html", {"form": form}, status=status)


def _accept_with_account(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    if request.method != "POST":
        return render(request, "accounts/accept.html", _describe(invitation))
    page = invitations.accept(invitation, person(request), at=now())
    messages.success(request, "The invitation was accepted.")
    return redirect(page or "account")


def _accept_with_new_account(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    form = NewAccountForm(
        request.POST if request.method == "POST" else None, initial={"email": invitation.email}
    )
    if request.method != "POST" or not form.is_valid():
        status = 422 if form.errors else 200
        context = {**_describe(invitation), "form": form}
        return render(request, "accounts/accept.html", context, status=status)
    fields = form.cleaned_data
    user, page = invitations.accept_with_new_account(
        invitation, fields["username"], fields["password1"], fields["email"], at=now()
    )
    login(request, user, backend=BACKEND)
    messages.success(request, "Your account was created, and you are signed in.")
    return redirect(page or "judgment-sets")


def _describe(invitation: Invitation) -> dict[str, object]:
    """The template context that describes an invitation."""
    kind = invitations.kind_of(invitation)
    return {
        "invitation": invitation,
        "noun": kind.noun if kind else "",
        "meaning": (Role(invitation.role) if kind else SiteRole(invitation.site_role)).meaning,
    }
