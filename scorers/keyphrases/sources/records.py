"""What a reader of a question answering set gives: questions with their answers marked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """A question to a passage, and where its answer stands.

    `answers` has one entry for each annotator (or each answer accepted): the places of its words
    in the passage, as (start, end) in characters. `supporting`, where given, are the places of
    the sentences that together support the answer (multi-hop); without them the sentence that
    holds the answer is taken. `group` names the passage: a split never divides one.
    """

    question: str
    passage: str
    answers: tuple[tuple[Span, ...], ...]
    group: str
    supporting: tuple[Span, ...] = ()


@dataclass
class ReadReport:
    """How many questions a file gave, and how many were left out for which reason."""

    read: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(self.left_out.items()))
        return f"{self.read} questions" + (f"; left out: {reasons}" if reasons else "")


def find_occurrences(passage: str, answer: str) -> tuple[Span, ...]:
    """Every place an answer stands in a passage as whole words, letter case apart."""
    if not answer.strip():
        return ()
    found = []
    low, wanted = passage.lower(), answer.strip().lower()
    if len(low) != len(passage):  # a letter whose lower case is longer: look for it as it is
        low, wanted = passage, answer.strip()
    at = low.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (_is_inside_word(low, at) or _is_inside_word(low, end)):
            found.append((at, end))
        at = low.find(wanted, at + 1)
    return tuple(found)


def _is_inside_word(text: str, at: int) -> bool:
    """Whether a word goes on across a place in a text."""
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
