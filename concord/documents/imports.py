"""Imports of files as judgment sets."""

from dataclasses import dataclass
from typing import Annotated, Any

from concord.documents.work import WorkDocument


@dataclass(frozen=True, kw_only=True)
class ImportDocument(WorkDocument):
    """An import of files into a judgment set."""

    name: Annotated[str, "The set's name, without a version."]
    format: str
    files: Annotated[list[str], "Names of the files; the file of minimal pairs comes last."]
    rows: Annotated[int, "Candidates and pairs read so far."]
    bytes_read: int
    bytes_total: int
    report: Annotated[list[str], "What was read and imported, in sentences."]
    judgment_set: Annotated[
        str | None, "NAME@VERSION of the new version. Null if there is none, or none you may see."
    ]
    problem: Annotated[
        dict[str, Any] | None, "Why it failed, as a problem document; null if it did not fail."
    ]
