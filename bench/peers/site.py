"""The interface of a platform in the comparison."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from annotation.studies.intake import Item

SCALE = (1, 2, 3, 4, 5)
RATINGS_EACH = 3
QUESTION = "How closely does the predicted answer capture the information of the correct answer?"


def shown(candidate: Item) -> str:
    """All texts that a rater reads, as one text."""
    instance = candidate.instance
    parts = (instance.passage, instance.question, instance.references[0], candidate.text)
    return "\n\n".join(parts)


class Rater(Protocol):
    """A person at the platform's pages. Each call may raise UnansweredError and is then repeated.

    Candidates are named as the platform names them.
    """

    @property
    def name(self) -> str: ...

    def enter(self) -> None:
        """Sign in."""

    def take(self) -> str | None:
        """Load the next candidate; None if there is no more."""

    def save(self, candidate: str, value: int) -> None: ...


class Site(Protocol):
    """A platform under test."""

    title: str
    served_by: str

    def prepare(self, candidates: list[Item]) -> None:
        """Install, create the task and load the candidates."""

    def start(self) -> None:
        """Start all processes, or start them again after `kill`; returns when pages answer."""

    def kill(self) -> None:
        """Kill every process of the platform, its database included, by SIGKILL."""

    def stop(self) -> None: ...

    def core_seconds(self) -> float:
        """CPU seconds of all its processes since they were started."""

    def raters(self, count: int) -> list[Rater]: ...

    def stored(self) -> Counter[tuple[str, str, int]]:
        """The number of stored ratings by (rater, candidate, value)."""
