"""Waiting in tests for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_for(condition: Callable[[], object], seconds: float = 60.0, pause: float = 0.05) -> None:
    """Wait until `condition` is true; fail the test when that takes longer than `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(pause)
