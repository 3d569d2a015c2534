"""A judged candidate answer, as trainings and evaluations use it."""

from __future__ import annotations

from dataclasses import dataclass

from concord.metrics.items import Item


@dataclass(frozen=True, slots=True)
class Judgment:
    """A candidate answer with its gold score.

    `gold` is the score as a share of its scale: 0 is the worst it allows, 1 the best. `group`
    names what a split must not divide: the passage, or the instance where there is none (see
    `reading`). `split` and `constituent` are empty where the file does not say. `short_answer` is
    the few words that answer the question, where the file has them.
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
        """The judgment without its gold score: what a metric scores."""
        return Item(self.candidate, self.references, self.question, self.passage, self.short_answer)
