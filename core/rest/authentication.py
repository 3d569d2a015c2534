"""Authentication: a program with an API token, or a signed-in browser with its CSRF token."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.timezone import now
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from core.accounts import tokens
from core.accounts.models import ApiToken

SCHEME = "Bearer"


def sends_token(request: HttpRequest) -> bool:
    """Whether the request has a bearer token, valid or not."""
    words = request.headers.get("Authorization", "").split()
    return bool(words) and words[0].casefold() == SCHEME.casefold()


def token_of(request: HttpRequest) -> ApiToken | None:
    """The valid API token of a request, with its user; looked up once."""
    if not hasattr(request, "api_token"):
        words = request.headers.get("Authorization", "").split()
        is_token = sends_token(request) and len(words) == 2
        token = tokens.authenticate(words[1], at=now()) if is_token else None
        request.api_token = token  # type: ignore[attr-defined]
    return request.api_token  # type: ignore[attr-defined,no-any-return]


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer concord_...`; `request.auth` is then the ApiToken."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        if not sends_token(request._request):
            return None
        token = token_of(request._request)
        if token is None:
            raise AuthenticationFailed(
                "This token is unknown, expired or revoked. Create one on your account page."
            )
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return f'{SCHEME} realm="Concord"'


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "An API token, which you create on your account page.",
        }


class BrowserAuthentication(SessionAuthentication):
    """The session of the pages. Requests that change something need the header X-CSRFToken."""


class BrowserScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = BrowserAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "The session of the pages. Changes also need the header X-CSRFToken.",
        }
