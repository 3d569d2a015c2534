"""After how many tasks a worker's session ends.

Sessions belong to the crowds, which depend on this feature; they register their look-up here.
"""

from __future__ import annotations

from collections.abc import Callable

from annotation.rating.models import Participation

LookUp = Callable[[Participation], int | None]
_look_ups: list[LookUp] = []


def register(look_up: LookUp) -> None:
    """Add a look-up, which returns the number of tasks of a participation's session, if any."""
    _look_ups.append(look_up)


def tasks_of(participation: Participation) -> int | None:
    """The number of tasks of the worker's session; None without a session."""
    numbers = (look_up(participation) for look_up in _look_ups)
    return min((number for number in numbers if number is not None), default=None)
