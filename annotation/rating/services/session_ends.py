"""When a worker's session begins, and after how many tasks it ends.

Sessions belong to the crowds, which depend on this feature; they register their functions here.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from annotation.rating.models import Participation
from annotation.rating.services import participation as participations

LookUp = Callable[[Participation], int | None]
Record = Callable[[Participation, datetime], object]
_registered: list[tuple[Record, LookUp, Record]] = []


def register(begin: Record, look_up: LookUp, end: Record) -> None:
    """Add the functions that begin a session of an invited rater, that return the number of tasks
    of a participation's session, if any, and that record its end."""
    _registered.append((begin, look_up, end))


def begin(participation: Participation, *, at: datetime) -> None:
    """Begin the session of a rater who joined by a personal link, where the study has sessions."""
    for begin_session, _, _ in _registered:
        begin_session(participation, at)


def tasks_of(participation: Participation) -> int | None:
    """The number of tasks of the worker's session; None without a session."""
    numbers = (look_up(participation) for _, look_up, _ in _registered)
    return min((number for number in numbers if number is not None), default=None)


def end_if_reached(participation: Participation, *, at: datetime) -> None:
    """End the sessions whose tasks are all submitted."""
    for _, look_up, end in _registered:
        tasks = look_up(participation)
        if tasks is not None and participations.totals(participation).submitted >= tasks:
            end(participation, at)
