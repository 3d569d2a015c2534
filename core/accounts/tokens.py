"""API tokens. A token is shown once; only its SHA-256 hash is stored.

A token is the prefix `concord_`, which secret scanners can find, and 32 random bytes. A plain hash
is safe for so many random bits, and a token can be looked up by it.
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
from core.refusals import RefusedError

SCOPES = {
    "studies:read": "read studies, their ratings and agreement",
    "studies:write": "change studies: protocols, candidates, stages, quality control, freezing",
    "sets:read": "read judgment sets, boards and scores",
    "sets:write": "import judgment sets",
    "runs:write": "start and stop metric runs, start analyses and model judges, import checkpoints",
    "submissions:write": "submit metrics",
    "payments:write": "publish on crowd platforms, approve work, pay",
}
PREFIX = "concord_"
PREFIX_CHARS = len(PREFIX) + 4
MAX_LIFETIME = timedelta(days=366)
# The last use is recorded at most this often, so that not every request writes a row.
LAST_USE_PRECISION = timedelta(minutes=1)


def make(
    user: User, name: str, scopes: Iterable[str], *, expires_at: datetime, at: datetime
) -> tuple[ApiToken, str]:
    """Create a token. Returns its row and its secret text, which is to be shown once.

    Raises RefusedError when the name or the scopes are missing, for an unknown scope, and
    unless the token expires within a year.
    """
    requested_scopes, name = set(scopes), name.strip()
    if not name:
        raise RefusedError("The token has no name. Enter one.", "token-not-made")
    if not requested_scopes:
        raise RefusedError("The token has no scopes. Choose at least one.", "token-not-made")
    if unknown := requested_scopes - SCOPES.keys():
        raise RefusedError(f"Unknown scope: {', '.join(sorted(unknown))}.", "token-not-made")
    if not at < expires_at <= at + MAX_LIFETIME:
        raise RefusedError(
            "The expiry date must be in the future and within a year.", "token-not-made"
        )
    presented = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        token = ApiToken.objects.create(
            user=user,
            name=name[:100],
            digest=_digest(presented),
            prefix=presented[:PREFIX_CHARS],
            scopes=[scope for scope in SCOPES if scope in requested_scopes],
            created_at=at,
            expires_at=expires_at,
        )
        about = {"name": token.name, "scopes": token.scopes, "expires_at": expires_at}
        audit.record(user, "access.granted to a program", token, after=about)
    return token, presented


def authenticate(presented: str, *, at: datetime) -> ApiToken | None:
    """The valid token with this text and its active user; None if there is none."""
    if not presented.startswith(PREFIX):
        return None
    token = ApiToken.objects.filter(digest=_digest(presented)).select_related("user").first()
    if token is None or not token.is_valid(at) or not token.user.is_active:
        return None
    if token.last_used_at is None or at - token.last_used_at >= LAST_USE_PRECISION:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=at)
        token.last_used_at = at
    return token


def revoke(user: User, pk: int, *, at: datetime) -> ApiToken | None:
    """Revoke one of the user's tokens; None if the user has no such token."""
    token = ApiToken.objects.filter(user=user, pk=pk).first()
    if token is not None and token.revoked_at is None:
        with transaction.atomic():
            token.revoked_at = at
            token.save(update_fields=["revoked_at"])
            audit.record(user, "access.taken from a program", token)
    return token


def _digest(presented: str) -> str:
    return hashlib.sha256(presented.encode()).hexdigest()
