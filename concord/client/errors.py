"""What a call can end in besides its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class ConcordError(Exception):
    """Whatever the client raises."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with what was sent; `file` and `line` where it was a file."""

    field: str
    detail: str
    file: str = ""
    line: int | None = None


class ProblemError(ConcordError):
    """The server's answer was a problem (RFC 9457). `str()` says what to do next."""

    def __init__(
        self, status: int, title: str, detail: str, type: str = "", faults: Sequence[Fault] = ()
    ) -> None:
        super().__init__(f"{status} {title}: {detail}")
        self.status, self.title, self.detail, self.type = status, title, detail, type
        self.faults = tuple(faults)

    @property
    def kind(self) -> str:
        """The name of this kind of problem in the API's documentation, such as `role-needed`."""
        return self.type.rpartition("#problem-")[2]


class NotReachedError(ConcordError):
    """No answer came, after every try; what was sent may or may not have worked."""


class WaitedTooLongError(ConcordError):
    """`wait` gave up; the work goes on."""
