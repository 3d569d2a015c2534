"""The auxiliary task of a judge: predicting keyphrases with the same encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scorers.keyphrases.task import KeyphraseTask

if TYPE_CHECKING:
    import torch


class AuxiliaryTask:
    """Pairs each training example of the judge with a keyphrase example, whose loss is added.

    Every epoch draws the pairs again, from the seed and the epoch alone. The loss is multiplied by
    a weight.
    """

    def __init__(self, task: KeyphraseTask, judge_examples: int, weight: float, seed: int) -> None:
        """`judge_examples` is the number of training examples of the judge."""
        self._task = task
        self._judge_examples = judge_examples
        self._weight = weight
        self._seed = seed
        self._drawn = np.zeros(judge_examples, dtype=np.int64)
        self.fingerprint = f"{task.fingerprint} {weight!r}"

    def start_epoch(self, epoch: int) -> None:
        """Draw the pairs of an epoch; no example is drawn twice before each is drawn once."""
        # The third number separates these draws from those of the schedule.
        rng = np.random.default_rng([self._seed, epoch, 1])
        examples = len(self._task.lengths)
        rounds = -(-self._judge_examples // examples)
        drawn = np.concatenate([rng.permutation(examples) for _ in range(rounds)])
        self._drawn = drawn[: self._judge_examples]

    def loss(self, indices: Sequence[int]) -> torch.Tensor:
        """The weighted loss of the keyphrase examples paired with some of the judge's."""
        return self._weight * self._task.loss(self._drawn[list(indices)].tolist())
