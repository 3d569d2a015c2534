"""The input of a judge: one candidate and one reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from concord.metrics.items import Item


class Row(NamedTuple):
    """A candidate and a reference with the other texts of their item; any text may be empty.

    `short_answer` are the few words that answer the question. Only AVA's linear classifier reads
    it; networks and features read `texts`.
    """

    passage: str
    question: str
    reference: str
    candidate: str
    short_answer: str = ""

    @property
    def texts(self) -> tuple[str, str, str, str]:
        """Passage, question, reference and candidate."""
        return self.passage, self.question, self.reference, self.candidate


def make_rows(item: Item, references: Sequence[str]) -> list[Row]:
    """A row for each of some references of an item.

    Training, evaluation and scoring all make their rows here, so they read the same texts.
    """
    return [
        Row(item.passage, item.question, reference, item.candidate, item.short_answer)
        for reference in references
    ]
