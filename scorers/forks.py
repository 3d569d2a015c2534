"""Resetting locks and pipes in forked processes.

A lock that another thread holds at the moment of a fork is never released in the child, and two
processes must not write to the same pipe. Objects that own locks or pipes register here; every
forked child calls their `after_fork`, which replaces them.
"""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class ForkAware(Protocol):
    """An object that resets itself in a forked child."""

    def after_fork(self) -> None:
        """Replace what a child process must not share with its parent."""
        ...


_aware: weakref.WeakSet[ForkAware] = weakref.WeakSet()


def renew_after_fork(item: ForkAware) -> None:
    """Call `item.after_fork()` in every process forked from this one."""
    _aware.add(item)


def _renew_all() -> None:
    for item in list(_aware):
        item.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
