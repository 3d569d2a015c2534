"""Processes that tests look for, so that none outlives what started it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import psutil


def living(among: Iterable[psutil.Process] | None = None) -> Iterator[tuple[psutil.Process, str]]:
    """Processes (all of the machine's, or those of `among`) with their command lines.

    Zombies are left out: they have ended, and only their parent has not asked how.
    """
    for process in psutil.process_iter() if among is None else among:
        try:
            line = " ".join(process.cmdline())
            if process.status() != psutil.STATUS_ZOMBIE:
                yield process, line
        except psutil.Error:
            continue
