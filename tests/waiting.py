"""Waiting in tests for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable

HANG = 300.0  # seconds


def wait_for(condition: Callable[[], object], pause: float = 0.05) -> None:
    """Wait until `condition` is true; the limit only ends a hang."""
    deadline = time.monotonic() + HANG
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(pause)
