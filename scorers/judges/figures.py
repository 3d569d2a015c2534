"""How well a judge's scores agree with gold scores, by the library's formulas.

Figures are plain floats by name, NaN where they are undefined, for cards and for `evaluate`.
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

    In [-1, 1], higher is better. NaN for fewer than three items, where a side does not vary, and
    where a score is missing.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy's, of values that hardly vary
        found = {name: figure(scores, gold).value for name, figure in _COEFFICIENTS.items()}
    return {name: _UNDEFINED if value is None else value for name, value in found.items()}


def f1_threshold(scores: Vector, correct: NDArray[np.bool_]) -> float:
    """The threshold of `concord.meta.correctness.tune_by_f1` as a finite number, for a card.

    Where it is best to call every answer correct, `tune_by_f1` gives minus infinity, which JSON
    cannot hold; then it is the lowest score less 1. NaN where a score is not finite. Raises
    ValueError where no answer is correct.
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
    # One cluster: only the area is wanted, not its interval.
    area = auc(scores, correct, np.zeros(len(scores), dtype=np.int64)).value
    return {**figures, "auc": _UNDEFINED if area is None else area}


def binary(gold: Vector) -> bool:
    """Whether gold scores say no more than right (1) and wrong (0), and say both."""
    return bool(np.isin(gold, (0.0, 1.0)).all()) and 0 < gold.mean() < 1
