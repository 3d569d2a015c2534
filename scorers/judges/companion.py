"""Learning to find keyphrases beside judging, with one encoder (multi-task)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scorers.keyphrases.task import KeyphraseTask

if TYPE_CHECKING:
    import torch


class Companion:
    """Keyphrase examples that go along with the judge's: each of its steps sees as many.

    Which example goes with which is drawn anew for each epoch, from the seed and the epoch alone.
    Their loss is added with a weight.
    """

    def __init__(self, task: KeyphraseTask, judged: int, weight: float, seed: int) -> None:
        """`judged` is how many examples the judge is trained on."""
        self._task = task
        self._judged = judged
        self._weight = weight
        self._seed = seed
        self._drawn = np.zeros(judged, dtype=np.int64)
        self.fingerprint = f"{task.fingerprint} {weight!r}"

    def start_epoch(self, epoch: int) -> None:
        """Draw which examples go along in an epoch; none twice before all did once."""
        # The third number keeps these draws apart from those of the schedule.
        rng = np.random.default_rng([self._seed, epoch, 1])
        there = len(self._task.lengths)
        rounds = -(-self._judged // there)
        drawn = np.concatenate([rng.permutation(there) for _ in range(rounds)])
        self._drawn = drawn[: self._judged]

    def loss(self, indices: Sequence[int]) -> torch.Tensor:
        """The weighted loss of the examples that go with some of the judge's."""
        return self._weight * self._task.loss(self._drawn[list(indices)].tolist())
