"""Whether a worker has done as many tasks as their session has.

Sessions belong to the crowds, which depend on this feature; they register their check here.
"""

from __future__ import annotations

from collections.abc import Callable

from annotation.rating.models import Participation

Check = Callable[[Participation, int], bool]
_checks: list[Check] = []


def register(check: Check) -> None:
    """Add a check, which gets the participation and the number of submitted tasks."""
    _checks.append(check)


def is_complete(participation: Participation, submitted: int) -> bool:
    """Whether a session ends with the worker's `submitted` tasks."""
    return any(check(participation, submitted) for check in _checks)
