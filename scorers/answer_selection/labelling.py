"""Answers labelled by a judge, as training data for answer sentence selection.

AVA's authors propose this distant supervision in their conclusion (Vu and Moschitti, 2021, Section
7). The table has the columns that `registry.read_plain` reads, and further ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

COLUMNS = ("question", "sentence", "label", "probability", "verdict", "threshold", "signature",
           "id")  # fmt: skip
_VERDICTS = ("incorrect", "correct")


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer to a question, and the probability in [0, 1] that it is correct."""

    id: str
    question: str
    answer: str
    probability: float


def check_threshold(threshold: float) -> None:
    """Raises ValueError for a threshold outside 0 to 1."""
    if not 0 <= threshold <= 1:
        raise ValueError(f"the threshold must be from 0 to 1, not {threshold}")


def usable_answers(answers: Iterable[ScoredAnswer]) -> Iterator[ScoredAnswer]:
    """The answers with a question, a text and a probability."""
    for answer in answers:
        is_scored = answer.probability == answer.probability  # False for NaN
        if answer.question.strip() and answer.answer.strip() and is_scored:
            yield answer


def labelled_lines(
    answers: Iterable[ScoredAnswer], threshold: float, signature: str
) -> Iterator[str]:
    """The heading and a line for each usable answer; it is correct from the threshold on.

    `signature` is that of the metric. White space within a text becomes single spaces, because each
    row is a line. Raises ValueError for a threshold outside 0 to 1.
    """
    check_threshold(threshold)
    yield _line(COLUMNS)
    for answer in usable_answers(answers):
        correct = answer.probability >= threshold
        yield _line(
            (
                answer.question,
                answer.answer,
                str(int(correct)),
                repr(answer.probability),
                _VERDICTS[correct],
                repr(threshold),
                signature,
                answer.id,
            )
        )


def _line(cells: Iterable[str]) -> str:
    return "\t".join(" ".join(cell.split()) for cell in cells) + "\n"
