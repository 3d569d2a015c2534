"""Child processes that do not outlive their parent."""

from __future__ import annotations

import ctypes
import signal
import sys
from collections.abc import Callable

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def die_with_parent(with_signal: signal.Signals = signal.SIGTERM) -> Callable[[], None] | None:
    """A `preexec_fn` by which the kernel sends the child this signal when its parent dies.

    SIGKILL gives a parent no chance to stop its children itself. Linux only; elsewhere None, and
    a killed parent's children stay until the next start finds them.
    """
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl

    def ask_the_kernel() -> None:
        prctl(PR_SET_PDEATHSIG, with_signal)

    return ask_the_kernel
