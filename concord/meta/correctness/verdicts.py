"""A metric's verdicts (correct or not) against people's: confusion counts and figures.

Figures are computed from four counts, vectorised over any further axes: resamples, metrics,
thresholds. A ratio with denominator 0 is NaN in arrays, and an undefined Estimate with a reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from concord.arrays import Booleans, Floats

# Axis 0 of every array of counts.
TRUE_POSITIVE, FALSE_POSITIVE, FALSE_NEGATIVE, TRUE_NEGATIVE = range(4)


@dataclass(frozen=True, slots=True)
class Confusion:
    """Floats of answers by the metric's verdict and people's."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int

    @property
    def counts(self) -> Floats:
        """True positives, false positives, false negatives and true negatives, (4,)."""
        return np.array(
            [self.true_positive, self.false_positive, self.false_negative, self.true_negative],
            dtype=np.float64,
        )


def count_confusion(called: Booleans, correct: Booleans) -> Confusion:
    """The confusion counts. called: the metric's verdicts, (n,). correct: people's, (n,)."""
    if called.shape != correct.shape or called.ndim != 1:
        raise ValueError(f"called {called.shape} and correct {correct.shape} must be one vector")
    both = int(np.count_nonzero(called & correct))
    by_metric, by_people = int(np.count_nonzero(called)), int(np.count_nonzero(correct))
    return Confusion(
        both, by_metric - both, by_people - both, len(called) - by_metric - by_people + both
    )


def indicators(called: Booleans, correct: Booleans) -> Floats:
    """The four counts of each answer alone, 0 or 1: (4, n), to be summed by cluster."""
    cells = (called & correct, called & ~correct, ~called & correct, ~called & ~correct)
    return np.stack(cells).astype(np.float64)


def precision(counts: Floats) -> Floats:
    """Share of the answers called correct that are; NaN where none is called correct."""
    return _over(counts[0], counts[0] + counts[1])


def recall(counts: Floats) -> Floats:
    """Share of the correct answers called so; NaN where none is correct."""
    return _over(counts[0], counts[0] + counts[2])


def f1(counts: Floats) -> Floats:
    """2 tp / (2 tp + fp + fn), the harmonic mean of precision and recall.

    0 where the metric calls none of the correct answers correct; NaN where people found none
    correct: no metric can then do better than 0.
    """
    values = _over(2 * counts[0], 2 * counts[0] + counts[1] + counts[2])
    return np.where(counts[0] + counts[2] > 0, values, np.nan)


def accuracy(counts: Floats) -> Floats:
    """Share of answers on which metric and people agree; NaN without answers."""
    return _over(counts[0] + counts[3], counts.sum(axis=0))


def balanced_accuracy(counts: Floats) -> Floats:
    """Mean of the shares recognised among correct and among wrong answers.

    0.5 for any verdict that does not look at the answer; NaN where people gave one verdict only.
    """
    return (recall(counts) + _over(counts[3], counts[3] + counts[1])) / 2


# All in [0, 1], higher is better.
FIGURES: dict[str, Callable[[Floats], Floats]] = {
    "f1": f1,
    "precision": precision,
    "recall": recall,
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
}


def undefined_reason(name: str, counts: Confusion) -> str:
    """Why the figure `name` is not defined, or ""."""
    correct = counts.true_positive + counts.false_negative
    wrong = counts.false_positive + counts.true_negative
    if not correct + wrong:
        return "there are no judged answers"
    if name == "precision" and not counts.true_positive + counts.false_positive:
        return "the metric calls no answer correct"
    if name in ("recall", "f1", "balanced_accuracy") and not correct:
        return "people found no answer correct"
    if name == "balanced_accuracy" and not wrong:
        return "people found every answer correct"
    return ""


def _over(part: Floats, whole: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)
