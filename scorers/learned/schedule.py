"""Which examples a step sees, and how fast it learns: functions of the seed and the step alone.

Nothing here depends on what happened before, so a training that was killed finds its place
again by counting steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scorers.learned.settings import TrainingSettings

# Batches drawn together, whose examples are sorted by length so that little is padding.
_BATCHES_PER_WINDOW = 50


def epoch_batches(
    lengths: Sequence[int], settings: TrainingSettings, epoch: int
) -> list[list[int]]:
    """The epoch's batches, as indices of examples; each example occurs once.

    Examples are shuffled, then sorted by length within windows of fifty batches, and the batches
    are shuffled. The last batch of a window may be smaller.
    """
    rng = np.random.default_rng([settings.seed, epoch])
    order = rng.permutation(len(lengths)).tolist()
    window = settings.batch_size * _BATCHES_PER_WINDOW
    batches: list[list[int]] = []
    for start in range(0, len(order), window):
        near = sorted(order[start : start + window], key=lengths.__getitem__)
        batches += [
            near[at : at + settings.batch_size] for at in range(0, len(near), settings.batch_size)
        ]
    return [batches[i] for i in rng.permutation(len(batches))]


def learning_rate(settings: TrainingSettings, step: int, steps: int) -> float:
    """The learning rate of a step, counted from 0, of so many: a rise, then a fall to zero."""
    rising = max(1, round(settings.warmup * steps))
    if step < rising:
        return settings.learning_rate * (step + 1) / rising
    return settings.learning_rate * (steps - step) / max(1, steps - rising)
