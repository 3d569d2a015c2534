"""Administrators' pages of accounts."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.timezone import now
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.accounts.roles import SiteRole
from core.accounts.services import administering, password_links, sessions
from core.accounts.views.shared import administrators_only, log_mail_error, person
from core.pages.queries import QueryForm, choice, text
from core.pages.views import refusals_to
from core.refusals import RefusedError

PAGE_SIZE = 50


class AccountsQuery(QueryForm):
    q = text()
    role = choice(*administering.ROLES, default="")
    state = choice(*administering.STATES, default="")
    page = forms.IntegerField(required=False, min_value=1, max_value=10**6, initial=1)


@require_safe
@administrators_only
def accounts(request: HttpRequest) -> HttpResponse:
    query = AccountsQuery.read(request.GET)
    rows = administering.search(query["q"].strip(), query["role"], query["state"])
    page = Paginator(rows, PAGE_SIZE).get_page(query["page"])
    context = {
        "tab": "accounts",
        "query": query,
        "roles": administering.ROLES,
        "page": page,
        "rows": [{"account": one, "role": administering.role_of(one)} for one in page],
        "page_query": urlencode({name: query[name] for name in ("q", "role", "state")}),
    }
    return render(request, "administration/accounts.html", context)


@require_safe
@administrators_only
@never_cache
def account(request: HttpRequest, pk: int) -> HttpResponse:
    return _page(request, get_object_or_404(User, pk=pk))


@require_POST
@administrators_only
@never_cache
@refusals_to("administration-account", "pk")
def change(request: HttpRequest, pk: int) -> HttpResponse:
    """Change the account as `do` says."""
    user = get_object_or_404(User, pk=pk)
    do = request.POST.get("do", "")
    if do in ("send-link", "show-link"):
        return _password_link(request, user, is_sent=do == "send-link")
    messages.success(request, _changed(request, user, do))
    return redirect("administration-account", pk)


def _changed(request: HttpRequest, user: User, do: str) -> str:
    """Change the account; returns what was done. Raises RefusedError."""
    by = person(request)
    match do:
        case "submitter" | "researcher":
            is_changed = administering.change_role(user, SiteRole(do), by=by)
            return f"{user} is {'now' if is_changed else 'already'} a {do}."
        case "deactivate":
            is_changed = administering.deactivate(user, by=by)
            return f"{user} is {'now' if is_changed else 'already'} inactive."
        case "reactivate":
            is_changed = administering.reactivate(user, by=by)
            return f"{user} is {'now' if is_changed else 'already'} active."
        case "end-sessions":
            key = request.session.session_key
            ended = administering.end_sessions(user, by=by, current_key=key)
            return f"Sessions of {user} ended: {ended}."
    raise RefusedError("This action is not possible.", "value-refused")


def _password_link(request: HttpRequest, user: User, *, is_sent: bool) -> HttpResponse:
    """Send the link, or show it once, on the page of the response."""
    link = administering.password_link(user, by=person(request), is_sent=is_sent)
    if not is_sent:
        path = reverse("password_reset_confirm", args=[link.uid, link.token])
        return _page(request, user, link=request.build_absolute_uri(path))
    try:
        password_links.send(user, link, protocol=request.scheme or "", domain=request.get_host())
    except OSError:
        log_mail_error()
        messages.error(request, "The e-mail could not be sent. Show the link instead.")
    else:
        messages.success(request, f"The link was sent to the e-mail address of {user}.")
    return redirect("administration-account", user.pk)


def _page(request: HttpRequest, user: User, **more: object) -> HttpResponse:
    at = now()
    context = {
        "tab": "accounts",
        "account": user,
        "role": administering.role_of(user),
        "roles": SiteRole,
        "is_own": user.pk == person(request).pk,
        "tokens": administering.valid_tokens(user, at=at),
        "sign_ins": sessions.sign_ins(user, at=at),
        **more,
    }
    return render(request, "administration/account.html", context)
