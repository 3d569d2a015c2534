"""How well scores agree with gold scores: correlations, and verdicts by a threshold."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, pearsonr, rankdata, spearmanr

Vector = NDArray[np.float64]

_UNDEFINED = float("nan")


@dataclass(frozen=True, slots=True)
class Threshold:
    """The score from which an answer counts as correct, and the F1 it gives."""

    value: float
    f1: float


def correlations(scores: Vector, gold: Vector) -> dict[str, float]:
    """Pearson, Spearman and Kendall's tau-b, each NaN where a side does not vary."""
    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(gold) == 0:
        return dict.fromkeys(("pearson", "spearman", "kendall"), _UNDEFINED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy's, of values that hardly vary
        return {
            "pearson": float(pearsonr(scores, gold).statistic),
            "spearman": float(spearmanr(scores, gold).statistic),
            "kendall": float(kendalltau(scores, gold).statistic),
        }


def best_threshold(scores: Vector, correct: NDArray[np.bool_]) -> Threshold:
    """The threshold with the greatest F1 for "correct"; of several, the middle of the lowest.

    It stands halfway between two scores, so that rounding cannot tip a verdict; below all scores
    where everything is best called correct. Raises ValueError without a correct and a wrong one.
    """
    if correct.all() or not correct.any():
        raise ValueError("a threshold needs answers of both kinds, correct and wrong")
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], np.cumsum(correct[order])
    called = np.arange(1, len(scores) + 1)
    f1 = 2 * hits / (called + correct.sum())
    ends = np.append(ranked[1:] < ranked[:-1], True)  # a threshold cannot part equal scores
    place = len(f1) - 1 - int(np.argmax(np.where(ends, f1, -1.0)[::-1]))
    below = ranked[place + 1] if place + 1 < len(ranked) else ranked[place] - 1e-6
    return Threshold(float((ranked[place] + below) / 2), float(f1[place]))


def verdict_figures(
    scores: Vector, correct: NDArray[np.bool_], threshold: float
) -> dict[str, float]:
    """F1, precision and recall of "correct", accuracies, and the area under the ROC curve.

    Each is NaN where it is 0/0.
    """
    called = scores >= threshold
    hits = float((called & correct).sum())
    positives, negatives = float(correct.sum()), float((~correct).sum())
    rejected = float((~called & ~correct).sum())
    recall, specificity = _ratio(hits, positives), _ratio(rejected, negatives)
    ranks = rankdata(scores)
    above = float(ranks[correct].sum()) - positives * (positives + 1) / 2
    return {
        "f1": _ratio(2 * hits, float(called.sum()) + positives),
        "precision": _ratio(hits, float(called.sum())),
        "recall": recall,
        "accuracy": float((called == correct).mean()),
        "balanced accuracy": (recall + specificity) / 2,
        "auc": _ratio(above, positives * negatives),
    }


def binary(gold: Vector) -> bool:
    """Whether gold scores say no more than right (1) and wrong (0), and say both."""
    return bool(np.isin(gold, (0.0, 1.0)).all()) and 0 < gold.mean() < 1


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else _UNDEFINED
