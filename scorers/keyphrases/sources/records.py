"""The records of question answering sets: questions with marked answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """A question about a passage, and the spans of its answer.

    answers: for each annotator (or accepted answer) the spans of its words in the passage, as
    (start, end) in characters. group: the passage's name; a split never divides a group.
    supporting: the spans of the sentences that support the answer (multi-hop); if empty, the
    sentence with the answer is used.
    """

    question: str
    passage: str
    answers: tuple[tuple[Span, ...], ...]
    group: str
    supporting: tuple[Span, ...] = ()


@dataclass
class ReadReport:
    """The number of questions read from a file, and of those left out by reason."""

    read: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(self.left_out.items()))
        return f"{self.read} questions" + (f"; left out: {reasons}" if reasons else "")


def find_occurrences(passage: str, answer: str) -> tuple[Span, ...]:
    """All spans of an answer in a passage as whole words, ignoring case."""
    if not answer.strip():
        return ()
    spans = []
    lowered, searched = passage.lower(), answer.strip().lower()
    if len(lowered) != len(passage):  # the lower case of some letter is longer: keep the case
        lowered, searched = passage, answer.strip()
    start = lowered.find(searched)
    while start >= 0:
        end = start + len(searched)
        if not (_is_inside_word(lowered, start) or _is_inside_word(lowered, end)):
            spans.append((start, end))
        start = lowered.find(searched, start + 1)
    return tuple(spans)


def _is_inside_word(text: str, position: int) -> bool:
    """Whether a position lies inside a word of a text."""
    if not 0 < position < len(text):
        return False
    return text[position - 1].isalnum() and text[position].isalnum()
