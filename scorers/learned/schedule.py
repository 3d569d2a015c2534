"""The batches of an epoch and the learning rate of a step, from the seed and the step alone.

Nothing here depends on earlier steps, so a killed training resumes by counting steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scorers.learned.settings import TrainingSettings

# Batches drawn together. Their examples are sorted by length, so that batches need little padding.
_BATCHES_PER_WINDOW = 50


def epoch_batches(
    lengths: Sequence[int], settings: TrainingSettings, epoch: int
) -> list[list[int]]:
    """The batches of an epoch as indices of examples; each example occurs once.

    Examples are shuffled, then sorted by length within windows of fifty batches, and the batches
    are shuffled. The last batch of a window may be smaller.
    """
    rng = np.random.default_rng([settings.seed, epoch])
    order = rng.permutation(len(lengths)).tolist()
    window = settings.batch_size * _BATCHES_PER_WINDOW
    batches: list[list[int]] = []
    for start in range(0, len(order), window):
        by_length = sorted(order[start : start + window], key=lengths.__getitem__)
        batches += [
            by_length[first : first + settings.batch_size]
            for first in range(0, len(by_length), settings.batch_size)
        ]
    return [batches[i] for i in rng.permutation(len(batches))]


def learning_rate(settings: TrainingSettings, step: int, steps: int) -> float:
    """The learning rate of step `step`, from 0, of `steps`: linear warm-up, then linear decay."""
    warmup_steps = max(1, round(settings.warmup * steps))
    if step < warmup_steps:
        return settings.learning_rate * (step + 1) / warmup_steps
    return settings.learning_rate * (steps - step) / max(1, steps - warmup_steps)
