"""Candidates and minimal pairs of a judgment set."""

from dataclasses import dataclass

from concord.documents.base import Document
from concord.documents.conversation import ShownConversation


@dataclass(frozen=True, kw_only=True)
class CandidateDocument(Document):
    """One generated answer; its gold score is null if it is hidden from you."""

    id: str
    candidate: str
    system: str
    score: float | None
    instance: str
    passage: str
    question: str
    conversation: ShownConversation
    references: list[str]
    constituent: str
    category: str
    split: str
