"""Count requests in the database, with one statement per request."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from core.security.limits.rates import Rate
from core.security.models import Bucket

_TAKE = """
    INSERT INTO security_bucket AS bucket (key, arrival)
    VALUES (%(key)s, %(at)s + make_interval(secs => %(step)s))
    ON CONFLICT (key) DO UPDATE
    SET arrival = GREATEST(bucket.arrival, %(at)s) + make_interval(secs => %(step)s)
    WHERE GREATEST(bucket.arrival, %(at)s) + make_interval(secs => %(step)s)
        <= %(at)s + make_interval(secs => %(period)s)
"""


def take(rule: str, caller: str, rate: Rate, *, at: datetime) -> timedelta | None:
    """Count a request of `caller`. Returns None if it is allowed, else the time to wait.

    Atomic: concurrent requests never exceed the rate. Refused requests are not counted, so that a
    caller who keeps trying is let through after the wait.
    """
    key = _key(rule, caller)
    with connection.cursor() as cursor:
        step, period = rate.interval.total_seconds(), rate.period.total_seconds()
        cursor.execute(_TAKE, {"key": key, "at": at, "step": step, "period": period})
        if cursor.rowcount:
            return None
    arrival = Bucket.objects.filter(key=key).values_list("arrival", flat=True).first()
    if arrival is None:  # deleted in between
        return rate.interval
    return max(arrival + rate.interval - rate.period - at, timedelta(0))


def give_back(rule: str, caller: str, rate: Rate) -> None:
    """Undo `take` for a request that turned out not to count."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE security_bucket SET arrival = arrival - make_interval(secs => %s)"
            " WHERE key = %s",
            [rate.interval.total_seconds(), _key(rule, caller)],
        )


def sweep(*, at: datetime) -> int:
    """Delete rows without effect. Returns their number."""
    return Bucket.objects.filter(arrival__lt=at).delete()[0]


def _key(rule: str, caller: str) -> str:
    secret = f"concord rate limits {settings.SECRET_KEY}".encode()
    return hmac.new(
        secret, f"{rule}\0{caller}".encode(errors="replace"), hashlib.sha256
    ).hexdigest()
