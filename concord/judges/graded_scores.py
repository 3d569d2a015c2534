"""A metric's scores as grades on people's scale."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

FOLDS = 10
Curve = Literal["line", "isotonic"]


def grades_from_scores(
    scores: NDArray[np.float64],
    gold: NDArray[np.float64],
    clusters: NDArray[np.int64],
    scale: tuple[float, float] | None = None,
    *,
    of: NDArray[np.float64] | None = None,
    curve: Curve = "line",
) -> NDArray[np.float64]:
    """Predict each item's gold score from its score, out of fold: float64 (n,).

    A curve is fitted by least squares on the items of the other folds; folds are groups of
    clusters (passages), so that no item of the same passage is seen. Predictions are cut to
    `scale`. NaN where the score is NaN. Without variation in the scores the grade is the mean
    gold score of the other folds: the best judge that does not look at the item.

    of: the scores that are graded, (n,), where they are others than those that the curve is fitted
    on, such as new answers about the same items. curve: "line", a straight line, or "isotonic", a
    curve that never falls: between the scores that it was fitted on it is linear, beyond them
    constant.
    """
    fold = cluster_folds(clusters)
    graded = scores if of is None else of
    grades = np.full(len(scores), np.nan)
    usable = ~np.isnan(scores) & ~np.isnan(gold)
    fit = CURVES[curve]
    for number in np.unique(fold):
        train, test = usable & (fold != number), (fold == number) & ~np.isnan(graded)
        if train.any():
            grades[test] = fit(scores[train], gold[train], graded[test])
    return grades if scale is None else np.clip(grades, *scale)


def _line(
    x: NDArray[np.float64], y: NDArray[np.float64], at: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The values at `at` of the straight line through (x, y)."""
    centre, spread = x.mean(), x - x.mean()
    squares = float(spread @ spread)
    slope = float(spread @ y) / squares if np.ptp(x) > 0 else 0.0
    line: NDArray[np.float64] = y.mean() + slope * (at - centre)
    return line


def _isotonic(
    x: NDArray[np.float64], y: NDArray[np.float64], at: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The values at `at` of the rising curve through (x, y); equal x have one value."""
    points, index, counts = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(index.reshape(-1), weights=y) / counts
    rising = isotonic_regression(means, weights=counts).x
    return np.asarray(np.interp(at, points, rising))


CURVES = {"line": _line, "isotonic": _isotonic}


def cluster_folds(clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """The fold of each item, from 0 to FOLDS - 1, (n,); items of one cluster share a fold."""
    return np.asarray(np.unique(clusters, return_inverse=True)[1].reshape(-1) % FOLDS)
