"""The pause before a request is sent again."""

from __future__ import annotations

import random

import httpx

FIRST_PAUSE, MAX_PAUSE = 0.25, 30.0


def retry_pause(tries: int, response: httpx.Response | None = None) -> float:
    """Seconds to wait after `tries` + 1 failures: Retry-After, else exponential back-off with
    jitter; at most MAX_PAUSE."""
    retry_after = response.headers.get("Retry-After", "") if response is not None else ""
    if retry_after.isdigit():
        return min(float(retry_after), MAX_PAUSE)
    longest: float = min(FIRST_PAUSE * 2**tries, MAX_PAUSE)
    return longest * random.uniform(0.5, 1.0)
