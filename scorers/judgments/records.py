"""A judged candidate answer for training and evaluation."""

from __future__ import annotations

from dataclasses import dataclass

from concord.metrics.items import Item


@dataclass(frozen=True, slots=True)
class Judgment:
    """A candidate answer with its gold score.

    gold: the score as a share of its scale, from 0 (worst) to 1 (best). group: the group that a
    split must not divide, usually the passage (see `reading`). split, constituent: empty if the
    file does not state them. short_answer: the few words that answer the question, if the file has
    them.
    """

    id: str
    question: str
    references: tuple[str, ...]
    candidate: str
    gold: float
    passage: str = ""
    group: str = ""
    constituent: str = ""
    split: str = ""
    system: str = ""
    short_answer: str = ""

    @property
    def item(self) -> Item:
        """The item that a metric scores."""
        return Item(self.candidate, self.references, self.question, self.passage, self.short_answer)
