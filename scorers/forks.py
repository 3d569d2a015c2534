"""Making a forked process forget what only its parent may use.

A lock held by another thread at the moment of a fork stays held for ever in the child, and a
pipe to a helper process would be written by two owners. Objects that own such things register
here; in every forked child their `after_fork` makes them anew.
"""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class ForkAware(Protocol):
    """An object that can make itself anew in a forked child."""

    def after_fork(self) -> None: ...


_aware: weakref.WeakSet[ForkAware] = weakref.WeakSet()


def renew_after_fork(item: ForkAware) -> None:
    """Have `item.after_fork()` called in every process forked from this one."""
    _aware.add(item)


def _renew_all() -> None:
    for item in list(_aware):
        item.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
