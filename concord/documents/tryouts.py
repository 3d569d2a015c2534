"""Try-outs of one answer."""

from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from concord.documents.work import WorkDocument


class TextsRow(TypedDict):
    """The texts of a try-out, as they are stored."""

    candidate: str
    references: list[str]
    question: str
    passage: str


class ScoreDocument(TypedDict):
    """One metric's score of the answer."""

    metric: str
    title: str
    family: str
    range: Annotated[list[float | None], "Null for an unbounded end."]
    higher_is_better: bool
    score: Annotated[float | None, "If null, see `note`."]
    signature: Annotated[str, "Identifies everything that can change the score."]
    threshold: Annotated[float | None, "Minimum score of an answer that counts as correct."]
    note: str


@dataclass(frozen=True, kw_only=True)
class TryOutDocument(WorkDocument):
    """One answer and its scores; it is deleted after a day."""

    candidate: str
    references: list[str]
    question: str
    passage: str
    scores: list[ScoreDocument]
    weights: Annotated[
        list[dict[str, Any]] | None,
        "Weights of the words of references and candidate; null until complete.",
    ]
