"""Retry a transaction that PostgreSQL ended because of a deadlock."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import OperationalError
from psycopg.errors import DeadlockDetected

MAX_ATTEMPTS = 3
PAUSE_S = 0.1  # the other transaction takes the freed locks before this one asks again
P = ParamSpec("P")
R = TypeVar("R")


def retry_after_deadlock(work: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that is one whole transaction: call it again after a deadlock."""

    @functools.wraps(work)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        for attempts_left in reversed(range(MAX_ATTEMPTS)):
            try:
                return work(*args, **kwargs)
            except OperationalError as error:
                if not attempts_left or not isinstance(error.__cause__, DeadlockDetected):
                    raise
                time.sleep(PAUSE_S)
        raise AssertionError("the last attempt returns or raises")

    return run
