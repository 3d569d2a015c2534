"""Answers labelled by a judge, as training data for answer sentence selection.

AVA's authors name this use in their conclusion (Vu and Moschitti, 2021, Section 7): distant
supervision. The table is the plain form that `tables.read_plain` reads, with further columns.
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
    """Those with a question, a text and a probability: nothing is learned from the others."""
    for one in answers:
        if one.question.strip() and one.answer.strip() and one.probability == one.probability:
            yield one


def labelled_lines(
    answers: Iterable[ScoredAnswer], threshold: float, signature: str
) -> Iterator[str]:
    """A heading, then a line for each usable answer; correct are those at the threshold or above.

    `signature` is the metric's. White space within a text becomes single spaces: a table has one
    row a line. Raises ValueError for a threshold outside 0 to 1.
    """
    check_threshold(threshold)
    yield _line(COLUMNS)
    for one in usable_answers(answers):
        correct = one.probability >= threshold
        yield _line(
            (
                one.question,
                one.answer,
                str(int(correct)),
                repr(one.probability),
                _VERDICTS[correct],
                repr(threshold),
                signature,
                one.id,
            )
        )


def _line(cells: Iterable[str]) -> str:
    return "\t".join(" ".join(cell.split()) for cell in cells) + "\n"
