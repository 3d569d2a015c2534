"""The sandbox's clock: the machine's time, or a fixed time that only `advance` changes."""

from __future__ import annotations

import threading
import time


class Clock:
    """Seconds since the epoch, never decreasing.

    Without `start` it is the machine's time plus the seconds added by `advance`. With `start` it is
    fixed and changes only by `advance`, so that a test controls what has expired.
    """

    def __init__(self, start: float | None = None, ahead: float = 0.0) -> None:
        self._start = start
        self._ahead = ahead
        self._lock = threading.Lock()

    @property
    def ahead(self) -> float:
        """The seconds added so far; stored with the data, so that they survive a restart."""
        return self._ahead

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
        """Advance to `moment` if it is later, because the data may not lie in the future."""
        behind = moment - self.now()
        if behind > 0:
            self.advance(behind)
