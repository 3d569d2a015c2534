"""The texts of a try-out, and their maximum lengths in the form and the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import scorers
from concord.bounds import REQUIRED, Text, items, text
from concord.documents.tryouts import TextsRow

# The time of a longest common subsequence grows with the product of the lengths of candidate and
# reference: google-rouge-l takes about ten seconds at these lengths.
MAX_CANDIDATE = MAX_REFERENCE = 2_000
MAX_REFERENCES = 8
MAX_QUESTION = 1_000
MAX_PASSAGE = 20_000
EXAMPLE = {
    "passage": "The ferry leaves at noon and reaches the island an hour later.",
    "question": "When does the ferry reach the island?",
    "references": ["at one o'clock"],
    "candidate": "It gets there at 1 pm.",
}


@dataclass(frozen=True, slots=True)
class TryOutTexts:
    """One answer to score, with references, question and passage.

    Line breaks in a reference are replaced by spaces: the form has one reference per line.
    """

    candidate: str = field(
        metadata=text(MAX_CANDIDATE, required=REQUIRED, multiline=True, help="The answer to score.")
    )
    references: tuple[str, ...] = field(
        metadata=items(
            MAX_REFERENCES,
            min_items=1,
            unit="references",
            each=Text(MAX_REFERENCE, REQUIRED),
            help="Correct answers. Line breaks are replaced by spaces.",
        )
    )
    question: str = field(
        default="",
        metadata=text(MAX_QUESTION, help="Read by LERC, AVA and KPQA's metrics."),
    )
    passage: str = field(
        default="", metadata=text(MAX_PASSAGE, multiline=True, help="Read by LERC.")
    )

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> TryOutTexts:  # of a form's fields
        """From the values of a valid form or request body, or of `to_json`."""
        return cls(
            candidate=values["candidate"],
            references=join_lines(values["references"]),
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
        """The item that metrics score."""
        return scorers.Item(self.candidate, self.references, self.question, self.passage)

    def has(self, name: str) -> bool:
        """Whether the field is not empty."""
        return bool(getattr(self, name))


def join_lines(references: Sequence[str]) -> tuple[str, ...]:
    """The references without line breaks; blank ones are left out."""
    lines = (" ".join(reference.split()) for reference in references)
    return tuple(line for line in lines if line)


@dataclass(frozen=True, slots=True)
class NewTryOut(TryOutTexts):
    """One answer to score, and the metrics that score it."""

    metrics: str = field(
        default="",
        metadata=text(
            2_000,
            help="Names separated by commas, such as bleu-1,lerc. If empty, all metrics.",
        ),
    )
