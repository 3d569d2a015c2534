"""Several references: the best single-reference score, or the metric's own method ("joint")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.documents.conversation import Conversation
from concord.metrics.items import Item
from concord.metrics.metric import MultiRef, Scores


@dataclass(frozen=True)
class Comparisons:
    """Comparisons of a candidate with a tuple of references.

    `questions[i]`, `passages[i]`, `short_answers[i]` and `conversations[i]` are those of comparison
    i's item.

    With "joint" there is one comparison per item, with all its references. With "max" there is
    one per item and reference, in the order of the references; `positions[i]` is then the index
    of comparison i's reference among those of its item. `starts[j]` is the first comparison of
    item j.
    """

    candidates: list[str]
    references: list[tuple[str, ...]]
    questions: list[str]
    passages: list[str]
    short_answers: list[str]
    conversations: list[Conversation | None]
    starts: NDArray[np.int64]
    positions: NDArray[np.int64] | None

    def __len__(self) -> int:
        return len(self.candidates)

    def item(self, i: int) -> Item:
        """Comparison i as an item."""
        return Item(
            self.candidates[i],
            self.references[i],
            self.questions[i],
            self.passages[i],
            self.short_answers[i],
            self.conversations[i],
        )

    def best(self, scores: Scores, *, higher_is_better: bool) -> Scores:
        """The best of the comparisons' scores for each item."""
        if self.positions is None or len(scores) == 0:
            return scores
        reduce = np.maximum if higher_is_better else np.minimum
        return reduce.reduceat(scores, self.starts)


def build_comparisons(items: Sequence[Item], multi_ref: MultiRef) -> Comparisons:
    """The comparisons of items; each item must have a reference."""
    if multi_ref == "joint":
        return Comparisons(
            candidates=[item.candidate for item in items],
            references=[item.references for item in items],
            questions=[item.question for item in items],
            passages=[item.passage for item in items],
            short_answers=[item.short_answer for item in items],
            conversations=[item.conversation for item in items],
            starts=np.arange(len(items), dtype=np.int64),
            positions=None,
        )
    counts = np.array([len(item.references) for item in items], dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1])) if len(items) else counts
    return Comparisons(
        candidates=[item.candidate for item in items for _ in item.references],
        references=[(reference,) for item in items for reference in item.references],
        questions=[item.question for item in items for _ in item.references],
        passages=[item.passage for item in items for _ in item.references],
        short_answers=[item.short_answer for item in items for _ in item.references],
        conversations=[item.conversation for item in items for _ in item.references],
        starts=starts,
        positions=np.arange(counts.sum()) - np.repeat(starts, counts),
    )


def check_items(items: Sequence[Item]) -> None:
    """Raise ValueError, with the index, where an item has no reference."""
    for index, item in enumerate(items):
        if not item.references:
            raise ValueError(f"item {index} has no references")
