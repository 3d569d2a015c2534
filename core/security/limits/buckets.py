"""Counting in the database: one statement a request, whatever the number of web processes."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from core.security.limits.rates import Rate
from core.security.models import Bucket

_TAKE = """
    INSERT INTO security_bucket AS held (key, arrival)
    VALUES (%(key)s, %(at)s + make_interval(secs => %(step)s))
    ON CONFLICT (key) DO UPDATE
    SET arrival = GREATEST(held.arrival, %(at)s) + make_interval(secs => %(step)s)
    WHERE GREATEST(held.arrival, %(at)s) + make_interval(secs => %(step)s)
        <= %(at)s + make_interval(secs => %(period)s)
"""


def take(rule: str, who: str, rate: Rate, *, at: datetime) -> timedelta | None:
    """Count one request of `who`. None when it may go on, else how long to wait for the next.

    Atomic: of any number at once no more than the rate allows get None. A request that is refused
    is not counted, so that waiting helps whoever keeps asking.
    """
    key = _key(rule, who)
    with connection.cursor() as cursor:
        step, period = rate.interval.total_seconds(), rate.period.total_seconds()
        cursor.execute(_TAKE, {"key": key, "at": at, "step": step, "period": period})
        if cursor.rowcount:
            return None
    arrival = Bucket.objects.filter(key=key).values_list("arrival", flat=True).first()
    if arrival is None:  # swept away in between
        return rate.interval
    return max(arrival + rate.interval - rate.period - at, timedelta(0))


def give_back(rule: str, who: str, rate: Rate) -> None:
    """Uncount a request that `take` let through: it turned out to be none of those that count."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE security_bucket SET arrival = arrival - make_interval(secs => %s)"
            " WHERE key = %s",
            [rate.interval.total_seconds(), _key(rule, who)],
        )


def sweep(*, at: datetime) -> int:
    """Delete what says nothing any more; how many rows."""
    return Bucket.objects.filter(arrival__lt=at).delete()[0]


def _key(rule: str, who: str) -> str:
    secret = f"concord rate limits {settings.SECRET_KEY}".encode()
    return hmac.new(secret, f"{rule}\0{who}".encode(errors="replace"), hashlib.sha256).hexdigest()
