"""Shapes of the JSON documents about a try-out."""

from __future__ import annotations

from typing import TypedDict


class TextsRow(TypedDict):
    """`Texts.to_json()`."""

    candidate: str
    references: list[str]
    question: str
    passage: str


class ScoreRow(TypedDict):
    """A metric's score of one answer; `score` is None where `note` says why.

    `threshold` is the score from which an answer counts as correct, for metrics that have one. An
    unbounded end of `range` is None.
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
