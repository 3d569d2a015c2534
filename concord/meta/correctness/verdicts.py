"""Verdicts (correct or not) of people and of metrics: confusion counts and figures.

People find an answer correct if its gold score is at or above a threshold. Figures are computed
from four counts (true positives, false positives, false negatives, true negatives) on axis 0,
vectorised over any further axes: resamples, metrics, thresholds. A ratio with denominator 0 is NaN
in arrays, and an undefined Estimate with a reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass

import numpy as np

from concord.arrays import Booleans, Floats
from concord.meta.groups import ratio


def default_gold_threshold(gold: Floats, scale: tuple[float, float] | None = None) -> float:
    """The middle of the scale, or of the range of the scores where the scale is unknown.

    gold: (n,), NaN for "not judged". On a scale from 0 to 1 it is 0.5, on one from 1 to 5 it is 3.
    Raises ValueError without a scale or a finite score.
    """
    if scale is not None:
        return (scale[0] + scale[1]) / 2
    judged = gold[np.isfinite(gold)]
    if not len(judged):
        raise ValueError("no candidate has a gold score")
    return float(judged.min() + judged.max()) / 2


def gold_verdicts(gold: Floats, threshold: float) -> Booleans:
    """Whether people found each candidate correct, (n,): gold >= threshold. Gold is finite."""
    if not np.isfinite(gold).all():
        raise ValueError("gold holds values that are not finite")
    return np.asarray(gold >= threshold)


def one_verdict_reason(correct: Booleans) -> str:
    """Why figures that need both verdicts of people are undefined; empty where they gave both."""
    if not len(correct):
        return "there are no judged answers"
    if correct.all():
        return "people found every answer correct"
    return "" if correct.any() else "people found no answer correct"


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of answers by the metric's verdict and people's."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int

    @property
    def counts(self) -> Floats:
        """The four counts, (4,)."""
        return np.array(astuple(self), dtype=np.float64)


def count_confusion(called: Booleans, correct: Booleans) -> Confusion:
    """The confusion counts. called: the metric's verdicts, (n,). correct: people's, (n,)."""
    if called.shape != correct.shape or called.ndim != 1:
        raise ValueError(f"called {called.shape} and correct {correct.shape} must be one vector")
    return Confusion(*indicators(called, correct).sum(axis=1).astype(int).tolist())


def indicators(called: Booleans, correct: Booleans) -> Floats:
    """The four counts of each answer alone, 0 or 1: (4, n), to be summed by cluster."""
    cells = (called & correct, called & ~correct, ~called & correct, ~called & ~correct)
    return np.stack(cells).astype(np.float64)


def precision(counts: Floats) -> Floats:
    """Share of the answers called correct that are; NaN where none is called correct."""
    return ratio(counts[0], counts[0] + counts[1])


def recall(counts: Floats) -> Floats:
    """Share of the correct answers called so; NaN where none is correct."""
    return ratio(counts[0], counts[0] + counts[2])


def f1(counts: Floats) -> Floats:
    """2 tp / (2 tp + fp + fn), the harmonic mean of precision and recall.

    0 where the metric calls none of the correct answers correct; NaN where people found none
    correct: no metric can then do better than 0.
    """
    values = ratio(2 * counts[0], 2 * counts[0] + counts[1] + counts[2])
    return np.where(counts[0] + counts[2] > 0, values, np.nan)


def accuracy(counts: Floats) -> Floats:
    """Share of answers on which metric and people agree; NaN without answers."""
    return ratio(counts[0] + counts[3], counts.sum(axis=0))


def balanced_accuracy(counts: Floats) -> Floats:
    """Mean of the shares recognised among correct and among wrong answers.

    0.5 for any verdict that does not look at the answer; NaN where people gave one verdict only.
    """
    return (recall(counts) + ratio(counts[3], counts[3] + counts[1])) / 2


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
