"""The memory of processes, restarts, and children that do not outlive their parent."""

from __future__ import annotations

import ctypes
import gc
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

MAX_PAUSE_SECONDS = 30.0
STABLE_AFTER_SECONDS = 60.0  # a process that ran this long is restarted without a pause
PR_SET_PDEATHSIG = 1  # linux/prctl.h


def die_with_parent(with_signal: signal.Signals = signal.SIGTERM) -> Callable[[], None] | None:
    """A `preexec_fn` that has the kernel send the child this signal when its parent dies.

    A parent that gets SIGKILL cannot stop its children itself. Linux only; None elsewhere, where
    the children of a killed parent go on running.
    """
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl

    def set_death_signal() -> None:
        prctl(PR_SET_PDEATHSIG, with_signal)

    return set_death_signal


@dataclass
class RestartPause:
    """The pause before a process that ended is started again; it grows with ends in a row."""

    seconds: float = 0.0
    since: float = field(default_factory=time.monotonic)  # the last start or end

    def is_over(self) -> bool:
        """Whether the process may be started. If so, its time begins."""
        at = time.monotonic()
        if at - self.since < self.seconds:
            return False
        self.since = at
        return True

    def ended(self, *, failed: bool = True) -> None:
        """The process ended; without an error, it is restarted at once."""
        at = time.monotonic()
        is_stable = not failed or at - self.since > STABLE_AFTER_SECONDS
        self.seconds = 0.0 if is_stable else min(MAX_PAUSE_SECONDS, self.seconds * 2 + 1)
        self.since = at


@contextmanager
def permanent_imports() -> Iterator[None]:
    """Import modules in the block whose objects garbage collections need not look at.

    Collections while all modules of the site are imported take a seventh of the time. In a process
    that is forked later, they would write to all objects and so copy them.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
