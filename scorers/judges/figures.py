"""Figures of a judge's scores against gold scores, for cards and for `evaluate`.

The formulas are those of the library. Figures are floats by name, NaN where undefined.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from concord import meta
from concord.meta.correctness import FIGURES, auc, count_confusion, metric_verdicts, tune_by_f1

Vector = NDArray[np.float64]

_COEFFICIENTS = {"pearson": meta.pearson, "spearman": meta.spearman, "kendall": meta.kendall}
_UNDEFINED = float("nan")


def correlations(scores: Vector, gold: Vector) -> dict[str, float]:
    """Pearson, Spearman and Kendall's tau-b of two vectors, (n,), as `concord.meta` has them.

    In [-1, 1], higher is better. NaN for fewer than three items, for constant scores or gold, and
    when a score is missing.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of values that hardly vary
        values = {name: figure(scores, gold).value for name, figure in _COEFFICIENTS.items()}
    return {name: _UNDEFINED if value is None else value for name, value in values.items()}


def f1_threshold(scores: Vector, correct: NDArray[np.bool_]) -> float:
    """The threshold of `concord.meta.correctness.tune_by_f1` as a finite number, for a card.

    When it is best to call every answer correct, `tune_by_f1` returns minus infinity, which JSON
    cannot hold; the threshold is then the lowest score minus 1. NaN when a score is not finite.
    Raises ValueError when no answer is correct.
    """
    if not np.isfinite(scores).all():
        return _UNDEFINED
    threshold = tune_by_f1(scores, correct)
    return threshold if np.isfinite(threshold) else float(scores.min()) - 1.0


def verdict_figures(
    scores: Vector, correct: NDArray[np.bool_], threshold: float
) -> dict[str, float]:
    """F1, precision and recall of "correct", accuracies, and the area under the ROC curve.

    scores, correct: (n,). Answers that score `threshold` or more are called correct. All figures
    are in [0, 1], higher is better; NaN where undefined, all of them where a score is not finite.
    """
    names = {name: name.replace("_", " ") for name in FIGURES}
    if not np.isfinite(scores).all():
        return dict.fromkeys((*names.values(), "auc"), _UNDEFINED)
    counts = count_confusion(metric_verdicts(scores, threshold), correct).counts
    figures = {names[name]: float(figure(counts)) for name, figure in FIGURES.items()}
    # One cluster, because the interval of the area is not needed.
    area = auc(scores, correct, np.zeros(len(scores), dtype=np.int64)).value
    return {**figures, "auc": _UNDEFINED if area is None else area}


def is_binary(gold: Vector) -> bool:
    """Whether all gold scores are 1 (right) or 0 (wrong), and both occur."""
    return bool(np.isin(gold, (0.0, 1.0)).all()) and 0 < gold.mean() < 1
