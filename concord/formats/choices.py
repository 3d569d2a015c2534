"""What people and judges may answer between two answers, and the words that mean a tie.

A tie is an answer: neither of the two is better. "Both bad" is a tie whose author says that both
answers are bad; it is kept apart, so that it can be left out. Null is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from concord.formats.records import Choice
from concord.sentences import counted

BOTH_BAD: Literal["both_bad"] = "both_bad"
ChoiceAnswer = Literal[1, 2, "tie", "both_bad"]
# What an answer "both bad" counts.
AS_TIE, LEAVE_OUT = "tie", "leave-out"
HOW_COUNTED = {AS_TIE: "both bad counts as a tie", LEAVE_OUT: "what is both bad is left out"}
EXPECTED = '1, 2 or "tie" is expected'

# Without case, spaces, underscores, hyphens and brackets: "Tie (both bad)" is "tiebothbad".
TIE_WORDS = frozenset(
    {
        *("tie", "tied", "atie", "draw", "a=b", "b=a", "bothgood", "tiebothgood", "bothgoodtie"),
        *("equal", "equallygood", "same", "thesame", "both", "neither", "nopreference"),
        *("unentschieden", "gleich", "égalité", "empate", "pareggio", "gelijk"),
    }
)
BOTH_BAD_WORDS = frozenset({"bothbad", "botharebad", "tiebothbad", "bothbadtie"})
_IGNORED = re.compile(r"[\s_()\[\]-]+")
_NUMBERS: dict[object, ChoiceAnswer] = {1: 1, 2: 2, "1": 1, "2": 2}


def tie_of(text: str) -> Literal["tie", "both_bad"] | None:
    """The tie that a text means; None for any other text."""
    word = _IGNORED.sub("", text.casefold())
    if word in BOTH_BAD_WORDS:
        return BOTH_BAD
    return "tie" if word in TIE_WORDS else None


def read_choice(value: object) -> ChoiceAnswer | None:
    """The answer that a value of a file is: 1, 2 (also as texts), or a text that means a tie; None
    for anything else."""
    if type(value) not in (int, str):
        return None
    choice = _NUMBERS.get(value)
    return tie_of(value) if choice is None and isinstance(value, str) else choice


def as_choice(answer: ChoiceAnswer) -> Choice:
    """The answer as a choice, where "both bad" is a tie."""
    return "tie" if answer == BOTH_BAD else answer


@dataclass(frozen=True)
class AnswerCounts:
    """Answers that prefer neither, of `answers` in all. ties: without those of `both_bad`. invalid:
    null, or what cannot be read."""

    answers: int = 0
    ties: int = 0
    both_bad: int = 0
    invalid: int = 0

    @classmethod
    def of(cls, answers: Iterable[ChoiceAnswer | None]) -> AnswerCounts:
        """The counts of answers; None is an invalid one."""
        listed = list(answers)
        return cls(len(listed), listed.count("tie"), listed.count(BOTH_BAD), listed.count(None))

    def __add__(self, other: AnswerCounts) -> AnswerCounts:
        return AnswerCounts(
            self.answers + other.answers,
            self.ties + other.ties,
            self.both_bad + other.both_bad,
            self.invalid + other.invalid,
        )

    def to_json(self) -> dict[str, int]:
        return {"ties": self.ties, "both_bad": self.both_bad, "invalid": self.invalid}

    def __str__(self) -> str:
        return (
            f"{counted(self.ties, 'tie')}, {self.both_bad:,} both bad and {self.invalid:,} invalid "
            f"of {counted(self.answers, 'answer')}"
        )
