"""What a reader of an answer sentence selection set gives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class LabelledSentence(NamedTuple):
    """A sentence under a question, and whether it answers it."""

    question: str
    sentence: str
    correct: bool


@dataclass(frozen=True, slots=True)
class SelectionQuestion:
    """A question with its distinct sentences, in the file's order.

    A sentence that a file marks both ways counts as correct.
    """

    question: str
    correct: tuple[str, ...]
    wrong: tuple[str, ...]


def group_by_question(rows: Iterable[LabelledSentence]) -> list[SelectionQuestion]:
    """Sentences put together by the question's text, in the order of the first of each."""
    questions: dict[str, dict[str, bool]] = {}
    for row in rows:
        marks = questions.setdefault(row.question, {})
        marks[row.sentence] = marks.get(row.sentence, False) or row.correct
    return [
        SelectionQuestion(
            question,
            tuple(sentence for sentence, correct in marks.items() if correct),
            tuple(sentence for sentence, correct in marks.items() if not correct),
        )
        for question, marks in questions.items()
    ]
