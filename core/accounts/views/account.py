"""The account page: e-mail address, password, API tokens and sessions."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import PasswordChangeView
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.timezone import now
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.accounts import tokens
from core.accounts.forms import EmailForm, TokenForm
from core.accounts.services import sessions
from core.accounts.views.shared import person
from core.refusals import RefusedError
from core.security.declarations import costs


@require_safe
@login_required
@never_cache
def account(request: HttpRequest) -> HttpResponse:
    return _page(request)


@require_POST
@login_required
def change_email(request: HttpRequest) -> HttpResponse:
    form = EmailForm(request.POST)
    if not form.is_valid():
        return _page(request, email_form=form, status=422)
    user = person(request)
    user.email = form.cleaned_data["email"]
    user.save(update_fields=["email"])
    messages.success(request, "Your e-mail address was changed.")
    return redirect("account")


@require_POST
@login_required
@never_cache
def make_token(request: HttpRequest) -> HttpResponse:
    """Create a token and show it once, on the page of the response."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _page(request, token_form=form, status=422)
    at = now()
    try:
        token, presented = tokens.make(
            person(request),
            form.value().name,
            form.value().scopes,
            expires_at=at + timedelta(days=form.value().days),
            at=at,
        )
    except RefusedError as error:
        form.add_error(None, str(error))
        return _page(request, token_form=form, status=422)
    return _page(request, made=token, presented=presented, status=201)


@require_POST
@login_required
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    token = tokens.revoke(person(request), pk, at=now())
    if token is None:
        raise Http404("You have no such token.")
    messages.success(request, f"The token {token.name} was revoked.")
    return redirect("account")


@require_POST
@login_required
def end_session(request: HttpRequest, pk: int) -> HttpResponse:
    if not sessions.end(person(request), pk):
        raise Http404("You have no such session.")
    messages.success(request, "The session was ended.")
    return redirect("account")


@require_POST
@login_required
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    ended = sessions.end_others(person(request), request.session.session_key)
    messages.success(request, f"Other sessions ended: {ended}.")
    return redirect("account")


@costs("password-change")
class ChangePassword(PasswordChangeView):
    """Change the password and end all other sessions."""

    template_name = "accounts/change_password.html"
    success_url = reverse_lazy("account")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        response = super().form_valid(form)
        sessions.end_others(person(self.request), self.request.session.session_key)
        messages.success(
            self.request, "Your password was changed, and all your other sessions were ended."
        )
        return response


def _page(request: HttpRequest, *, status: int = 200, **more: object) -> HttpResponse:
    user, at = person(request), now()
    forms: dict[str, Form] = {
        "email_form": EmailForm(initial={"email": user.email}),
        "token_form": TokenForm(),
    }
    context = {
        **forms,
        "tokens": [
            {"it": one, "is_valid": one.is_valid(at), "is_expired": one.expires_at <= at}
            for one in user.api_tokens.all()
        ],
        "sign_ins": sessions.sign_ins(user, at=at),
        "here": request.session.session_key,
        **more,
    }
    return render(request, "accounts/account.html", context, status=status)
