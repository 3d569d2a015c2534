"""Recognising the browser of a rater who opens a link a second time, by a signed cookie.

The cookie is a convenience of links that are opened outside other sites' frames; no page of a rater
needs it.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from annotation.rating.services.tokens import VALID_SECONDS

# As in release 0.2.0, whose cookies stay valid.
COOKIE_SALT = "annotation.crowds.entry"


def remember(response: HttpResponse, name: str, value: str = "1") -> None:
    """Set the cookie."""
    response.set_signed_cookie(
        name,
        value,
        salt=COOKIE_SALT,
        max_age=VALID_SECONDS,
        secure=settings.BEHIND_TLS,
        samesite="None" if settings.BEHIND_TLS else "Lax",  # frames of a panel need None
        httponly=True,
    )


def remembered(request: HttpRequest, name: str) -> str:
    """The value of the cookie; empty if there is none, or if it was changed."""
    return request.get_signed_cookie(name, "", salt=COOKIE_SALT, max_age=VALID_SECONDS) or ""
