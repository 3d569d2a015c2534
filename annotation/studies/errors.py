"""The error shared by the services of studies."""

from __future__ import annotations

from collections.abc import Sequence

from concord.formats import Problem


class StudyError(ValueError):
    """The action is not possible now. The message says why and what to do."""


class KeysRefusedError(StudyError):
    """Correct answers of a file do not fit the protocol. faults: each with its line, if it has one,
    and its criterion, if it names one."""

    def __init__(self, message: str, faults: Sequence[Problem]) -> None:
        super().__init__(message)
        self.faults = faults
