"""Record sign-ins and when each session was last used."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest, HttpResponse
from django.utils.timezone import now

from core.accounts.services import sessions

# The first match counts: browsers also name those from which they descend.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
UNKNOWN = "an unknown browser"


def device(user_agent: str) -> str:
    """For example "Firefox on Linux", or "an unknown browser"."""
    browser = next((name for pattern, name in BROWSERS if pattern in user_agent), "")
    system = next((name for pattern, name in SYSTEMS if pattern in user_agent), "")
    if not browser:
        return f"{UNKNOWN} on {system}" if system else UNKNOWN
    return f"{browser} on {system}" if system else browser


def connect() -> None:
    user_logged_in.connect(_record_sign_in, dispatch_uid="core.accounts.signing_in")


class SignInMiddleware:
    """Records the last use of a session, if the request accessed it.

    Pages that do not depend on the user then need no database query.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.session.accessed and request.user.is_authenticated:
            _record_use(request, request.user)
        return response


def _record_sign_in(sender: object, request: HttpRequest, user: User, **_: object) -> None:
    if request.session.session_key is None:
        request.session.save()
    _record_use(request, user)


def _record_use(request: HttpRequest, user: User) -> None:
    key = request.session.session_key
    if key is not None:
        agent = request.META.get("HTTP_USER_AGENT", "")
        sessions.record_use(user, key, device(agent), at=now())
