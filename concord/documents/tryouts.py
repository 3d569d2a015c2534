"""Try-outs of one answer."""

from typing import Annotated, TypedDict


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
