"""Sessions of an account: listing and ending them.

For each Django session, a `SignIn` row holds the kind of browser and when it was last used. Ending
a session deletes both.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction

from core.accounts.models import SignIn

LAST_USE_PRECISION = timedelta(minutes=1)


def record_use(user: User, session_key: str, device: str, *, at: datetime) -> None:
    """Record that a session is in use; writes at most once a minute."""
    row = SignIn.objects.filter(session_key=session_key).first()
    if row is not None and row.user_id == user.pk and at - row.last_used_at < LAST_USE_PRECISION:
        return
    _, is_new = SignIn.objects.update_or_create(
        session_key=session_key,
        defaults={"user": user, "device": device, "last_used_at": at},
        create_defaults={
            "user": user,
            "device": device,
            "created_at": at,
            "last_used_at": at,
        },
    )
    if is_new:
        _delete_ended(user, session_key)


def sign_ins(user: User, *, at: datetime) -> list[SignIn]:
    """The user's active sessions, last used first."""
    active = Session.objects.filter(expire_date__gt=at).values("session_key")
    return list(SignIn.objects.filter(user=user, session_key__in=active))


def end(user: User, pk: int) -> bool:
    """End one of the user's sessions. False: the user has no such session."""
    return _end(user, pk=pk) > 0


def end_others(user: User, current_key: str | None) -> int:
    """End all of the user's sessions except the current one. Returns their number."""
    others = SignIn.objects.filter(user=user).exclude(session_key=current_key or "")
    return _end(user, pk__in=list(others.values_list("pk", flat=True)))


def _delete_ended(user: User, new_key: str) -> None:
    """Delete the rows of ended sessions, but not of the new one, which may not be stored yet."""
    active = Session.objects.values("session_key")
    rows = SignIn.objects.filter(user=user).exclude(session_key=new_key)
    rows.exclude(session_key__in=active).delete()


def _end(user: User, **filters: object) -> int:
    with transaction.atomic():
        rows = SignIn.objects.filter(user=user, **filters)
        keys = list(rows.values_list("session_key", flat=True))
        Session.objects.filter(session_key__in=keys).delete()
        rows.delete()
    return len(keys)
