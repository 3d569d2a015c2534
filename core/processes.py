"""Child processes that do not outlive their parent."""

from __future__ import annotations

import ctypes
import signal
import sys
from collections.abc import Callable

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
