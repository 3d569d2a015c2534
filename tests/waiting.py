"""Wait for other processes in tests."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMEOUT_SECONDS = 300.0


def wait_for(condition: Callable[[], object], pause: float = 0.05) -> None:
    """Wait until `condition` is true. The timeout only ends a hang."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(pause)
