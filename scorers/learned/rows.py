"""The rows that a learned metric reads, and the conversions between gold, outputs and scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from concord.metrics.items import Item

Vector = NDArray[np.float64]
Loss = Literal["mse", "logistic"]
Combine = Literal["max", "mean"]


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


def combine_scores(scores: Vector, owners: NDArray[np.int64], method: Combine) -> Vector:
    """Combine the scores of each item's rows, which must be adjacent, to one score per item."""
    if len(scores) == 0:
        return scores
    starts = np.flatnonzero(np.diff(owners, prepend=owners[0] - 1))
    if method == "max":
        best: Vector = np.maximum.reduceat(scores, starts)
        return best
    counts = np.diff(np.append(starts, len(scores)))
    mean: Vector = np.add.reduceat(scores, starts) / counts
    return mean


def to_targets(gold: Vector, loss: Loss) -> Vector:
    """The targets of the network's output: ratings from 1 to 5, or probabilities."""
    return 1 + 4 * gold if loss == "mse" else gold


def to_scores(outputs: Vector, loss: Loss, *, rating: bool) -> Vector:
    """The scores of a metric from the network's outputs.

    With `rating` they are ratings from 1 to 5, which a regression may exceed a little; otherwise
    shares of the scale. Log-odds become probabilities.
    """
    if loss == "mse":
        return outputs if rating else (outputs - 1) / 4
    probabilities: Vector = 0.5 * (1 + np.tanh(outputs / 2))
    return 1 + 4 * probabilities if rating else probabilities
