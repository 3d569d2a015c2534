"""Candidates of a study, uploads and their imports."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from concord.documents.base import Document
from concord.documents.conversation import ShownConversation
from concord.documents.work import WorkDocument


@dataclass(frozen=True, kw_only=True)
class UploadDocument(Document):
    """An uploaded file that has not been imported. It is deleted after a day."""

    id: int
    name: str
    format: str
    use: Literal["rated", "qualification", "gold", "pairs"]
    needs_columns: Annotated[bool, "Whether it is a table without chosen columns."]
    columns: Annotated[
        dict[str, Any] | None,
        "For a table: header, meanings and samples of its columns, its sheets, and the "
        "chosen sheet.",
    ]
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class UploadDetailDocument(UploadDocument):
    """An uploaded file with a summary of its contents."""

    contents: Annotated[dict[str, Any] | None, "Counts; null until the columns are chosen."]


@dataclass(frozen=True, kw_only=True)
class CandidateImportDocument(WorkDocument):
    """The import of an upload's candidates into the study."""

    study: str
    name: Annotated[str, "Name of the file."]
    counts: Annotated[
        dict[str, int] | None,
        "Counts of added and excluded candidates; null until the import is complete.",
    ]


class StudyCandidateDocument(TypedDict):
    """A candidate of the study."""

    id: int
    key: str
    use: Literal["rated", "dropped", "qualification", "gold", "compared"]
    drop_reason: str
    text: str
    system: str
    instance: str
    question: str
    conversation: ShownConversation
    references: list[str]
    constituent: str
    split: str
    expected: Annotated[int | None, "Correct rating of a test item or hidden check."]
    expected_answers: Annotated[
        dict[str, Any], "Correct answers of a test item or hidden check to criteria, by name."
    ]
    same_as: Annotated[int | None, "Id of the candidate whose ratings it shares."]
    pair: str
