"""Periodic jobs of the rate limits."""

from __future__ import annotations

from django.utils.timezone import now

from core.jobs import periodic
from core.security.limits import buckets


@periodic(every=60.0)
def forget_old_counts() -> None:
    """Delete rows that have no effect any more."""
    buckets.sweep(at=now())
