"""Identify the callers of the API whom a rate limit counts."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from core.rest.authentication import sends_token, token_of
from core.security.limits import callers
from core.security.limits.callers import GROUP_SHARE, Caller, Callers


def unchecked_token(request: HttpRequest) -> Callers:
    """The address of a request with a token, before the token is looked up; else nobody."""
    if not sends_token(request):
        return []
    return [Caller(f"invalid tokens from {one.key}", one.share) for one in callers.address(request)]


def valid_token(request: HttpRequest) -> Callers:
    """The valid token of a request, else the signed-in account, else the address.

    All tokens of an account form a group. Nobody, if the token is invalid.
    """
    if not sends_token(request):
        return callers.account(request)
    if (valid := token_of(request)) is None:
        return []
    group, one = callers.one_of_many(request, f"token {valid.pk}")
    return [group, Caller(f"tokens of account {valid.user_id}", GROUP_SHARE), one]


def token_account(request: HttpRequest) -> Callers:
    """The account of a valid token, else the signed-in account, else the address."""
    if request.path_info.startswith("/api/") and (valid := token_of(request)) is not None:
        return callers.one_of_many(request, f"account {valid.user_id}")
    return callers.account(request)


def has_valid_token(request: HttpRequest, response: HttpResponseBase) -> bool:
    return token_of(request) is not None
