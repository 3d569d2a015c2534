"""A metric's scores as grades on people's scale."""

from __future__ import annotations

from collections.abc import Callable

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
        grades[test] = fitted_line(scores[train], gold[train])(scores[test])
    return grades if scale is None else np.clip(grades, *scale)


def fitted_line(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """The straight line of y by least squares; the mean of y where x does not vary."""
    centre, spread, mean = x.mean(), x - x.mean(), y.mean()
    slope = float(spread @ y) / float(spread @ spread) if np.ptp(x) > 0 else 0.0
    return lambda values: np.asarray(mean + slope * (values - centre))


def cluster_folds(clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """The fold of each item, from 0 to FOLDS - 1, (n,); items of one cluster share a fold."""
    return np.asarray(np.unique(clusters, return_inverse=True)[1].reshape(-1) % FOLDS)
