"""Administrators' page of the accounts at crowd platforms."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.timezone import now
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.crowds.forms import AccountForm
from annotation.crowds.models import CrowdAccount
from annotation.crowds.services import accounts
from core.accounts.views.shared import administrators_only, person


@require_safe
@administrators_only
def crowd_accounts(request: HttpRequest) -> HttpResponse:
    return _page(request)


@require_POST
@administrators_only
@never_cache
def enter(request: HttpRequest, provider: str) -> HttpResponse:
    """Store the credentials of a form and test them."""
    known = {one.name: one for one in accounts.providers_with_accounts()}
    if provider not in known:
        raise Http404("There is no such crowd.")
    form = AccountForm(known[provider], request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    account = accounts.enter(
        provider,
        form.cleaned_data["service"],
        form.credentials(),
        by=person(request),
        at=now(),
    )
    return _test(request, account)


@require_POST
@administrators_only
def test(request: HttpRequest, pk: int) -> HttpResponse:
    return _test(request, get_object_or_404(CrowdAccount, pk=pk))


@require_POST
@administrators_only
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    account = get_object_or_404(CrowdAccount, pk=pk)
    accounts.remove(account, by=person(request))
    messages.success(request, "The credentials were removed.")
    return redirect("crowd-accounts")


def _test(request: HttpRequest, account: CrowdAccount) -> HttpResponse:
    result = accounts.test(account, by=person(request), at=now())
    if result.problem:
        messages.error(request, f"The credentials are stored, but do not work. {result.problem}")
    else:
        balance = "" if result.balance is None else f" The balance is ${result.balance:,.2f}."
        messages.success(request, f"The service accepts the credentials.{balance}")
    return redirect("crowd-accounts")


def _page(request: HttpRequest, form: AccountForm | None = None, status: int = 200) -> HttpResponse:
    """The page, with a form that was refused in place of its provider's empty one."""
    entered = list(CrowdAccount.objects.select_related("entered_by"))
    providers = [
        {
            "provider": provider,
            "accounts": [one for one in entered if one.provider == provider.name],
            "form": form if form and form.provider == provider.name else AccountForm(provider),
            "in_environment": not provider.missing_credentials(),
        }
        for provider in accounts.providers_with_accounts()
    ]
    context = {"tab": "crowd-accounts", "providers": providers}
    return render(request, "administration/crowd_accounts.html", context, status=status)
