"""A metric's scores as grades on people's scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FOLDS = 10


def grades_from_scores(
    scores: NDArray[np.float64],
    gold: NDArray[np.float64],
    clusters: NDArray[np.int64],
    scale: tuple[float, float] | None = None,
) -> NDArray[np.float64]:
    """Predict each item's gold score from its score, out of fold: float64 (n,).

    A straight line is fitted by least squares on the items of the other folds; folds are groups of
    clusters (passages), so that no item of the same passage is seen. Predictions are cut to
    `scale`. NaN where the score is NaN. Without variation in the scores the grade is the mean
    gold score of the other folds: the best judge that does not look at the item.
    """
    fold = cluster_folds(clusters)
    grades = np.full(len(scores), np.nan)
    usable = ~np.isnan(scores) & ~np.isnan(gold)
    for number in np.unique(fold):
        train, test = usable & (fold != number), (fold == number) & ~np.isnan(scores)
        if not train.any():
            continue
        x, y = scores[train], gold[train]
        centre, spread = x.mean(), x - x.mean()
        squares = float(spread @ spread)
        slope = float(spread @ y) / squares if np.ptp(x) > 0 else 0.0
        grades[test] = y.mean() + slope * (scores[test] - centre)
    return grades if scale is None else np.clip(grades, *scale)


def cluster_folds(clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """The fold of each item, from 0 to FOLDS - 1, (n,); items of one cluster share a fold."""
    return np.asarray(np.unique(clusters, return_inverse=True)[1].reshape(-1) % FOLDS)
