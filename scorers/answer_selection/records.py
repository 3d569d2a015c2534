"""The records of answer sentence selection sets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class LabelledSentence(NamedTuple):
    """A sentence of a question, and whether it answers the question."""

    question: str
    sentence: str
    correct: bool


@dataclass(frozen=True, slots=True)
class SelectionQuestion:
    """A question with its distinct sentences, in the file's order.

    A sentence that a file marks as both correct and wrong counts as correct.
    """

    question: str
    correct: tuple[str, ...]
    wrong: tuple[str, ...]


def group_by_question(rows: Iterable[LabelledSentence]) -> list[SelectionQuestion]:
    """Group sentences by the question's text, in the order of first occurrence."""
    questions: dict[str, dict[str, bool]] = {}
    for row in rows:
        is_correct = questions.setdefault(row.question, {})
        is_correct[row.sentence] = is_correct.get(row.sentence, False) or row.correct
    return [
        SelectionQuestion(
            question,
            tuple(sentence for sentence, correct in is_correct.items() if correct),
            tuple(sentence for sentence, correct in is_correct.items() if not correct),
        )
        for question, is_correct in questions.items()
    ]
