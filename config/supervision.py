"""Running the site's processes as children: restarted when they die, stopped when asked."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType

LONGEST_PAUSE = 30.0
STEADY_AFTER = 60.0  # a child that ran this long before it died starts again at once


@dataclass
class Child:
    """A process to keep running. `start` makes it, `stop` ends it."""

    name: str
    start: Callable[[], subprocess.Popen[bytes]]
    stop: Callable[[subprocess.Popen[bytes]], None]
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = 0.0
    say: Callable[[str], None] = field(default=print)

    def ensure(self) -> None:
        """Start the process when it does not run and its pause after a death is over."""
        if self.process is not None:
            if self.process.poll() is None:
                return
            lived = time.monotonic() - self.started
            self.pause = 0.0 if lived > STEADY_AFTER else min(LONGEST_PAUSE, self.pause * 2 + 1)
            self.say(f"The {self.name} ended ({self.process.returncode}); starting it again.")
            self.process = None
        if time.monotonic() - self.started >= self.pause:
            self.process, self.started = self.start(), time.monotonic()

    def end(self) -> None:
        if self.process is not None:
            self.stop(self.process)
            self.process = None


def stop_on_signals() -> None:
    """Have SIGTERM and SIGHUP end this process as Ctrl-C does, so that `finally` blocks run."""

    def leave(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGHUP, leave)
