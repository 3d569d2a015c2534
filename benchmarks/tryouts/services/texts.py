"""The texts of a try-out, and how long they may be: the form and the API derive from here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import scorers
from benchmarks.tryouts.documents import TextsRow

# Metrics with a longest common subsequence take time by the product of the lengths of candidate and
# reference: google-rouge-l, which workers compute, about ten seconds at these lengths.
MAX_CANDIDATE = MAX_REFERENCE = 2_000
MAX_REFERENCES = 8
MAX_QUESTION = 1_000
MAX_PASSAGE = 20_000
MAX_METRICS = 2_000
EXAMPLE = {
    "passage": "The ferry leaves at noon and reaches the island an hour later.",
    "question": "When does the ferry reach the island?",
    "references": ["at one o'clock"],
    "candidate": "It gets there at 1 pm.",
}


@dataclass(frozen=True, slots=True)
class Texts:
    """One answer to score: a candidate, its references, and what was asked of which passage.

    Line breaks within a reference become spaces: the form has one reference a line.
    """

    candidate: str
    references: tuple[str, ...]
    question: str = ""
    passage: str = ""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Texts:
        """From a checked form, a checked body, or what `to_json` returned."""
        return cls(
            candidate=values["candidate"],
            references=one_line_each(values["references"]),
            question=values.get("question", ""),
            passage=values.get("passage", ""),
        )

    def to_json(self) -> TextsRow:
        return {
            "candidate": self.candidate,
            "references": list(self.references),
            "question": self.question,
            "passage": self.passage,
        }

    def item(self) -> scorers.Item:
        """As metrics read it."""
        return scorers.Item(self.candidate, self.references, self.question, self.passage)

    def has(self, name: str) -> bool:
        """Whether the field that a metric needs is there."""
        return bool(getattr(self, name))


def one_line_each(references: Sequence[str]) -> tuple[str, ...]:
    """References without line breaks; blank ones are left out."""
    lines = (" ".join(reference.split()) for reference in references)
    return tuple(line for line in lines if line)


def refuse_references(references: Sequence[str]) -> None:
    """Raises ValueError where there is none, there are too many, or one is too long."""
    if not references:
        raise ValueError("Give at least one reference.")
    if len(references) > MAX_REFERENCES:
        raise ValueError(
            f"There are {len(references)} references; at most {MAX_REFERENCES} are scored."
        )
    longest = max(map(len, references))
    if longest > MAX_REFERENCE:
        raise ValueError(
            f"A reference has {longest:,} characters; at most {MAX_REFERENCE:,} are scored."
        )
