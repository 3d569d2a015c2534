"""The actor of a request: its account, or the API token that it was sent with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

from django.http import HttpRequest, HttpResponseBase

from core.audit.actors import SYSTEM_ACTOR, TOKEN_MODEL, Actor, acting_as
from core.audit.recording import unrecorded

VISITOR = Actor("visitor", "")


def actor_middleware(
    respond: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Set the actor for the request.

    A HEAD request shows nothing, so it is no download and leaves no event.

    The actor is read when something is recorded: most pages record nothing and need not read the
    session, and the API authenticates a token later than this.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        quiet = unrecorded() if request.method == "HEAD" else nullcontext()
        with acting_as(lambda: _actor_of(request)), quiet:
            return respond(request)

    return middleware


def _actor_of(request: HttpRequest) -> Actor:
    token = getattr(request, "auth", None)
    if getattr(getattr(token, "_meta", None), "label_lower", "") == TOKEN_MODEL:
        return Actor.token(token)
    user = getattr(request, "user", None)
    if user is None:
        return SYSTEM_ACTOR
    return Actor.account(user) if user.is_authenticated else VISITOR
