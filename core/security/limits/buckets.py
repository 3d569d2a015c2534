"""Count requests in the database, with one statement per rule."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from core.compiled_queries import prepared_cursor
from core.jobs.leases import CLOCK_SKEW
from core.security.limits.rates import Rate
from core.security.models import Bucket

_TAKE = """
    taken_{number} AS (
        INSERT INTO security_bucket AS bucket (key, arrival)
        SELECT %(key_{number})s, %(at)s + make_interval(secs => %(step_{number})s) {condition}
        ON CONFLICT (key) DO UPDATE
        SET arrival = {base} + make_interval(secs => %(step_{number})s)
        WHERE {base} + make_interval(secs => %(step_{number})s)
            <= %(at)s + make_interval(secs => %(period_{number})s)
        RETURNING 1
    )"""
# A clock that was set back leaves arrivals that no requests can have made: they count as none.
_BASE = """
    CASE WHEN bucket.arrival > %(at)s + make_interval(secs => %(period_{number})s + %(skew)s)
        THEN %(at)s ELSE GREATEST(bucket.arrival, %(at)s) END"""


def take(rule: str, callers: Sequence[tuple[str, Rate]], *, at: datetime) -> timedelta | None:
    """Count a request for each of the callers. None if it is allowed, else the time to wait.

    Nothing is stored for the callers after one that is over its rate. Atomic: concurrent requests
    never exceed a rate. A refused request is not counted for any caller, so that who keeps trying
    is let through after the wait.
    """
    parts: list[str] = []
    parameters: dict[str, datetime | str | float] = {
        "at": at,
        "skew": CLOCK_SKEW.total_seconds(),
    }
    for number, (caller, rate) in enumerate(callers):
        condition = f"WHERE EXISTS (SELECT FROM taken_{number - 1})" if number else ""
        base = _BASE.format(number=number)
        parts.append(_TAKE.format(number=number, condition=condition, base=base))
        parameters[f"key_{number}"] = _key(rule, caller)
        parameters[f"step_{number}"] = rate.interval.total_seconds()
        parameters[f"period_{number}"] = rate.period.total_seconds()
    counts = " UNION ALL ".join(f"TABLE taken_{number}" for number in range(len(parts)))
    with prepared_cursor() as cursor:
        cursor.execute(f"WITH {','.join(parts)} {counts}", parameters)
        taken = len(cursor.fetchall())
    if taken == len(callers):
        return None
    for caller, rate in callers[:taken]:
        give_back(rule, caller, rate)
    caller, rate = callers[taken]
    arrivals = Bucket.objects.filter(key=_key(rule, caller)).values_list("arrival", flat=True)
    arrival = arrivals.first()
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
