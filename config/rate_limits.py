"""The rules of the rate limits. The rates themselves are settings; a view says what counts it.

Sign-ins, writes, files, pages that compute figures and the API are counted. Pages that only read
are not; a reverse proxy can limit those.

Rules that count by the address come before rules that count by a name in a form or by a token.
Whoever exceeds the address's rate then adds no more rows and has no more tokens looked up.
"""

from __future__ import annotations

from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from annotation.crowds.services import pages
from annotation.rating.services import tokens
from core.rest.authentication import sends_token, token_of
from core.security.limits import callers
from core.security.limits.callers import GROUP_SHARE, Caller, Callers
from core.security.limits.rules import LimitRule, Rules

# Addresses of files, such as .../scores.csv and .../plane.<slug:extension>, and of checkpoints.
FILES = r"(\.(?!css$)[a-z]+|extension>[^/]*|<str:checkpoint>)$"


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


def rater(request: HttpRequest) -> Callers:
    """The rater whom a valid rating link names, however often it was signed; else the address."""
    match = request.resolver_match
    assert match is not None
    token = match.kwargs["token"]
    try:
        if match.view_name.startswith("crowd-"):
            key = f"crowd assignment {pages.signed_key(token)[0]}"
        else:
            key = f"participation {tokens.signed_key(token)}"
    except (signing.BadSignature, ValueError, TypeError):
        return callers.address(request)
    return callers.one_of_many(request, key)


def has_signed_in(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether a sign-in succeeded; only failures are counted."""
    return response.status_code == 302


RULES = Rules(
    special=(
        LimitRule("sign-in-address", callers.address, "sign-in", is_exempt=has_signed_in),
        LimitRule("sign-in", callers.named_account_at_address("username"), is_exempt=has_signed_in),
        LimitRule(
            "sign-in-account", callers.named_account("username"), "sign-in", is_exempt=has_signed_in
        ),
        LimitRule("password-reset", callers.address),
        LimitRule("password-reset-account", callers.named_account("email"), "password-reset"),
        LimitRule("password-change", callers.account),
        LimitRule("new-account", callers.address),
        LimitRule("api", unchecked_token, prefix="/api/", reads=True, is_exempt=has_valid_token),
        LimitRule("api", valid_token, prefix="/api/", reads=True),
        LimitRule("rating", rater, reads=True),
        LimitRule("joining", callers.address, reads=True),
        LimitRule("upload", token_account, files=True),
        LimitRule("try", token_account),
        LimitRule("download", token_account, route=FILES, reads=True),
        LimitRule("figures", callers.account, reads=True),
    ),
    default=LimitRule("write", callers.account),
)
