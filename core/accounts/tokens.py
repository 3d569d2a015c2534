"""API tokens: made once, shown once, known afterwards by their SHA-256 alone.

A token is 32 random bytes behind the prefix `concord_`, which secret scanners can look for. With
so many bits a plain digest is as safe as a slow one, and it can be looked up by its value.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction

from core import audit
from core.accounts.models import ApiToken

SCOPES = {
    "studies:read": "read studies, their ratings and agreement",
    "studies:write": "change studies: protocols, candidates, stages, the ledger, freezing",
    "sets:read": "read judgment sets, boards and scores",
    "sets:write": "import judgment sets, publish them, change their members",
    "runs:write": "start, stop and retry metric runs, analyses and trainings",
    "submissions:write": "submit metrics, publish and withdraw them",
    "webhooks:write": "make and change webhooks, and read what they were told",
    "audit:read": "read who did what on the whole site, if you are an administrator",
    "payments:write": "publish on crowd platforms, approve work, pay",
}
PREFIX = "concord_"
PREFIX_CHARS = len(PREFIX) + 4
LONGEST = timedelta(days=366)
# Last use is noted this often, so that a busy token does not write a row a request.
NOTED_EVERY = timedelta(minutes=1)


class TokenRefusedError(ValueError):
    """The token cannot be made as asked; the message says why."""


def make(
    user: User, name: str, scopes: Iterable[str], *, expires_at: datetime, at: datetime
) -> tuple[ApiToken, str]:
    """A new token of a user, and the text to show once.

    Raises TokenRefusedError without a name, without scopes, for an unknown scope, and unless it
    expires within a year.
    """
    chosen, name = set(scopes), name.strip()
    if not name:
        raise TokenRefusedError("Give the token a name, so that you know it again.")
    if not chosen:
        raise TokenRefusedError("Choose at least one scope: a token without any opens nothing.")
    if unknown := chosen - SCOPES.keys():
        raise TokenRefusedError(f"There is no scope {', '.join(sorted(unknown))}.")
    if not at < expires_at <= at + LONGEST:
        raise TokenRefusedError("A token expires within a year, and not before it is made.")
    presented = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        token = ApiToken.objects.create(
            user=user,
            name=name[:100],
            digest=_digest(presented),
            prefix=presented[:PREFIX_CHARS],
            scopes=[scope for scope in SCOPES if scope in chosen],
            created_at=at,
            expires_at=expires_at,
        )
        about = {"name": token.name, "scopes": token.scopes, "expires_at": expires_at}
        audit.record(user, "access.granted to a program", token, after=about)
    return token, presented


def authenticate(presented: str, *, at: datetime) -> ApiToken | None:
    """The token that was presented, with its user; None unless it is good and the user active."""
    if not presented.startswith(PREFIX):
        return None
    found = ApiToken.objects.filter(digest=_digest(presented)).select_related("user").first()
    if found is None or not found.is_good(at) or not found.user.is_active:
        return None
    if found.last_used_at is None or at - found.last_used_at >= NOTED_EVERY:
        ApiToken.objects.filter(pk=found.pk).update(last_used_at=at)
        found.last_used_at = at
    return found


def revoke(user: User, pk: int, *, at: datetime) -> ApiToken | None:
    """End one of the user's tokens for good; None where there is no such token of theirs."""
    token = ApiToken.objects.filter(user=user, pk=pk).first()
    if token is not None and token.revoked_at is None:
        with transaction.atomic():
            token.revoked_at = at
            token.save(update_fields=["revoked_at"])
            audit.record(user, "access.taken from a program", token)
    return token


def _digest(presented: str) -> str:
    return hashlib.sha256(presented.encode()).hexdigest()
