"""Output of commands to pipes whose reader may stop early."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

BROKEN_PIPE = 141
"""The exit code that a shell gives to a program that SIGPIPE ended: 128 + 13."""


def run_to_pipe(main: Callable[[], int]) -> int:
    """The exit code of a command; BROKEN_PIPE, without a message, where the reader of its output
    stopped, as `head` does."""
    try:
        try:
            return main()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes standard output once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
