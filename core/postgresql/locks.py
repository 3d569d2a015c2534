"""Locks by name that PostgreSQL holds until a transaction ends."""

from __future__ import annotations

import hashlib

from django.db import connection


def lock(name: str) -> None:
    """Wait for the lock of this name, and hold it until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_number(name)])


def try_lock(name: str) -> bool:
    """As `lock` without waiting. Returns False if another transaction has it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_number(name)])
        return bool(cursor.fetchone()[0])


def _number(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
