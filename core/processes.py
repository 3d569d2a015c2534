"""The memory of processes, and children that do not outlive their parent."""

from __future__ import annotations

import ctypes
import gc
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
