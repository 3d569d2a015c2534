"""The sandbox's time: the machine's, or one that stands still until it is moved."""

from __future__ import annotations

import threading
import time


class Clock:
    """Seconds since the epoch, never going back.

    Without `start` it runs with the machine's clock, ahead by what `advance` added. With `start` it
    stands still there and moves only by `advance`, so that a test decides what has expired.
    """

    def __init__(self, start: float | None = None, ahead: float = 0.0) -> None:
        self._start = start
        self._ahead = ahead
        self._lock = threading.Lock()

    @property
    def ahead(self) -> float:
        """The seconds added so far; kept with the data, so that a restart does not go back."""
        return self._ahead

    @property
    def is_fixed(self) -> bool:
        return self._start is not None

    def now(self) -> float:
        base = time.time() if self._start is None else self._start
        return round(base + self._ahead, 3)

    def advance(self, seconds: float) -> float:
        """Move forward and return the new time. Raises ValueError for a step back."""
        if not 0 <= seconds <= 10 * 365 * 86400:
            raise ValueError("The clock can only be moved forward, by ten years at most.")
        with self._lock:
            self._ahead += seconds
        return self.now()

    def advance_to(self, moment: float) -> None:
        """Move forward to `moment` if it is later: what the data has seen is past."""
        behind = moment - self.now()
        if behind > 0:
            self.advance(behind)
