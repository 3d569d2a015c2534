"""Find running processes, to check that none outlives the test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import psutil


def living(among: Iterable[psutil.Process] | None = None) -> Iterator[tuple[psutil.Process, str]]:
    """Running processes (all, or those of `among`) with their command lines, without zombies."""
    for process in psutil.process_iter() if among is None else among:
        try:
            line = " ".join(process.cmdline())
            if process.status() != psutil.STATUS_ZOMBIE:
                yield process, line
        except psutil.Error:
            continue
