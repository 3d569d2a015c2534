"""The pause before a request is sent again: one policy for every client."""

from __future__ import annotations

import random

FIRST_PAUSE, MAX_PAUSE = 0.25, 30.0


def retry_pause(
    failures: int,
    retry_after: float | None = None,
    *,
    first: float = FIRST_PAUSE,
    longest: float = MAX_PAUSE,
) -> float:
    """Seconds to wait after `failures` failed attempts in a row, 1 or more; at most `longest`.

    `first` doubles with each failure, and is random within its upper half, so that clients that
    failed together do not return together. retry_after: what the server asked for, in seconds; the
    pause is not shorter.
    """
    backoff = min(longest, first * 2.0 ** min(failures - 1, 30)) * random.uniform(0.5, 1.0)
    return min(longest, max(backoff, retry_after or 0.0))


def read_retry_after(header: str | None) -> float | None:
    """The seconds of a Retry-After header; None without one, or where it is a date."""
    return float(header) if header and header.isascii() and header.isdigit() else None
