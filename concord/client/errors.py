"""Errors of the client."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class ConcordError(Exception):
    """Base class of the client's errors."""


@dataclass(frozen=True)
class Fault:
    """One fault of a request; `file` and `line` where it is in a file."""

    field: str
    detail: str
    file: str = ""
    line: int | None = None


class ProblemError(ConcordError):
    """The server returned a problem (RFC 9457). `str()` contains its detail."""

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


class UnreachableError(ConcordError):
    """The server did not respond after all retries. The request may or may not have been
    executed."""


class WaitTimeoutError(ConcordError):
    """`wait` reached its timeout; the task continues."""
