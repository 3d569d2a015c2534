"""Types of the JSON documents of a try-out."""

from __future__ import annotations

from typing import TypedDict


class TextsRow(TypedDict):
    """`Texts.to_json()`."""

    candidate: str
    references: list[str]
    question: str
    passage: str


class ScoreRow(TypedDict):
    """A metric's score of one answer. If `score` is None, `note` says why.

    threshold: minimum score of an answer that counts as correct, or None. range: None for an
    unbounded end.
    """

    metric: str
    title: str
    family: str
    range: list[float | None]
    higher_is_better: bool
    score: float | None
    signature: str
    threshold: float | None
    note: str
