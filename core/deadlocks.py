"""Transactions that PostgreSQL ended because two waited for each other."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import OperationalError
from psycopg.errors import DeadlockDetected

TRIES = 3
P = ParamSpec("P")
R = TypeVar("R")


def again_after_deadlock(work: Callable[P, R]) -> Callable[P, R]:
    """Have a function that is one transaction of its own done again after a deadlock."""

    @functools.wraps(work)
    def tried(*args: P.args, **kwargs: P.kwargs) -> R:
        for left in reversed(range(TRIES)):
            try:
                return work(*args, **kwargs)
            except OperationalError as error:
                if not left or not isinstance(error.__cause__, DeadlockDetected):
                    raise
        raise AssertionError("the last try returns or raises")

    return tried
