"""What a request does is done by its account, or by the token that it presented."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from core.audit.actors import SYSTEM_ACTOR, TOKEN_MODEL, Actor, acting_as

VISITOR = Actor("visitor", "")


def actor_middleware(
    respond: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Asks who it is only when something is recorded: most pages record nothing, and should not
    read the session for it. A token is known only once the API has authenticated it."""

    def responding(request: HttpRequest) -> HttpResponseBase:
        with acting_as(lambda: _of(request)):
            return respond(request)

    return responding


def _of(request: HttpRequest) -> Actor:
    token = getattr(request, "auth", None)
    if getattr(getattr(token, "_meta", None), "label_lower", "") == TOKEN_MODEL:
        return Actor.token(token)
    user = getattr(request, "user", None)
    if user is None:
        return SYSTEM_ACTOR
    return Actor.account(user) if user.is_authenticated else VISITOR
