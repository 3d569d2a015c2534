"""What services of studies refuse, where a page shows more than its sentence."""

from __future__ import annotations

from collections.abc import Sequence

from concord.formats import FormatError, Problem
from concord.formats.faulty_rows import FaultyRow, faulty_rows
from core.refusals import RefusedError


class KeysRefusedError(RefusedError):
    """Correct answers of a file do not fit the protocol. faults: each with its line, if it has one,
    and its criterion, if it names one."""

    def __init__(self, message: str, faults: Sequence[Problem]) -> None:
        super().__init__(message, "study-refused")
        self.faults = faults


class UploadError(RefusedError):
    """A file that cannot be added to the study. The message lists the problems, one per line.

    refusal: the problems of the file's content with the cells of their rows.
    """

    def __init__(self, message: str, refusal: FormatError | None = None) -> None:
        super().__init__(message, "file-refused", "file")
        self.hidden = refusal.hidden if refusal else 0
        self.rows = (
            faulty_rows(refusal.problems)
            if refusal
            else [FaultyRow("", None, (line,)) for line in message.split("\n")]
        )

    @property
    def faulty(self) -> list[FaultyRow]:
        """The rows with faults, if there are any; the messages of `for_field` say the others."""
        return self.rows if any(row.line for row in self.rows) else []

    def for_field(self) -> list[str]:
        """The messages for the field of the file: those of no row, else that rows have faults."""
        if self.faulty:
            return ["The file was rejected. Correct the rows below and choose the file again."]
        return str(self).split("\n")
