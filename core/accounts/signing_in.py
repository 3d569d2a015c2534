"""Noting where accounts are signed in: when somebody does, and at every request after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest, HttpResponse
from django.utils.timezone import now

from core.accounts.devices import device
from core.accounts.services import sessions


def connect() -> None:
    user_logged_in.connect(_note_sign_in, dispatch_uid="core.accounts.signing_in")


class SignInMiddleware:
    """Notes the last use of the session a request came with, where the request looked at it:
    pages for which it does not matter who is there ask the database nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.session.accessed and request.user.is_authenticated:
            _note(request, request.user)
        return response


def _note_sign_in(sender: Any, request: HttpRequest, user: User, **_: Any) -> None:
    if request.session.session_key is None:
        request.session.save()
    _note(request, user)


def _note(request: HttpRequest, user: User) -> None:
    key = request.session.session_key
    if key is not None:
        agent = request.META.get("HTTP_USER_AGENT", "")
        sessions.note_use(user, key, device(agent), at=now())
