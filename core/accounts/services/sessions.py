"""Where an account is signed in, and ending that.

Django's sessions hold who is signed in; a `SignIn` beside each says to its account what kind of
browser it is and when it was last used. Ending one deletes the session itself.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction

from core.accounts.models import SignIn

NOTED_EVERY = timedelta(minutes=1)


def note_use(user: User, session_key: str, device: str, *, at: datetime) -> None:
    """Note that a session is in use; writes at most once a minute."""
    found = SignIn.objects.filter(session_key=session_key).first()
    if found is not None and found.user_id == user.pk and at - found.last_used_at < NOTED_EVERY:
        return
    _, made = SignIn.objects.update_or_create(
        session_key=session_key,
        defaults={"user": user, "device": device, "last_used_at": at},
        create_defaults={
            "user": user,
            "device": device,
            "created_at": at,
            "last_used_at": at,
        },
    )
    if made:
        _forget_ended(user, session_key)


def sign_ins(user: User, *, at: datetime) -> list[SignIn]:
    """The user's sessions that are alive, last used first."""
    alive = Session.objects.filter(expire_date__gt=at).values("session_key")
    return list(SignIn.objects.filter(user=user, session_key__in=alive))


def end(user: User, pk: int) -> bool:
    """End one of the user's sessions; False where there is no such one of theirs."""
    return _end(user, pk=pk) > 0


def end_others(user: User, but: str | None) -> int:
    """End all of the user's sessions but the one of this key; how many there were."""
    found = SignIn.objects.filter(user=user).exclude(session_key=but or "")
    return _end(user, pk__in=list(found.values_list("pk", flat=True)))


def _forget_ended(user: User, here: str) -> None:
    """Delete what was noted of sessions that are over; the one that begins may not be stored."""
    alive = Session.objects.values("session_key")
    rows = SignIn.objects.filter(user=user).exclude(session_key=here)
    rows.exclude(session_key__in=alive).delete()


def _end(user: User, **which: object) -> int:
    with transaction.atomic():
        rows = SignIn.objects.filter(user=user, **which)
        keys = list(rows.values_list("session_key", flat=True))
        Session.objects.filter(session_key__in=keys).delete()
        rows.delete()
    return len(keys)
