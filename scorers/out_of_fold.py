"""Predictions of gold scores by ridge regression, made for each passage from the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FOLDS = 10
# On standardised features, as multiples of a unit variance.
PENALTIES = np.logspace(0, 5, 11)


@dataclass(frozen=True, eq=False)
class Combination:
    """Predictions from all metrics and from one, n candidates and F folds.

    predictions: float64 (n,), from all metrics. weights: float64 (F, M), of the standardised
    scores. single: float64 (n,), from the metric that correlates best with gold on the other
    folds. chosen: int64 (F,), which metric that was.
    """

    predictions: NDArray[np.float64]
    weights: NDArray[np.float64]
    single: NDArray[np.float64]
    chosen: NDArray[np.int64]


def predict_out_of_fold(
    features: NDArray[np.float64], gold: NDArray[np.float64], clusters: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Predict gold (n,) from features (n, d): float64 (n,).

    Folds are groups of clusters (passages), so that a prediction never sees gold of its own
    passage. The penalty is chosen on the other folds. Features that predict nothing give a
    correlation slightly below zero, because the mean of the other folds is high where the fold's
    is low. Raises ValueError with fewer than two clusters.
    """
    predictions = np.empty(len(gold))
    for train, test in _folds(clusters):
        model = _ridge().fit(features[train], gold[train])
        predictions[test] = model.predict(features[test])
    return predictions


def combine_out_of_fold(
    scores: NDArray[np.float64], gold: NDArray[np.float64], clusters: NDArray[np.int64]
) -> Combination:
    """Predict gold (n,) from the scores (n, M) of all metrics, and from the best single one.

    Everything is chosen on the other folds: penalty, weights, the single metric and its line. So
    the two predictions can be compared without optimism. Scores must be finite and vary. Raises
    ValueError with fewer than two clusters.
    """
    predictions, single = np.empty(len(gold)), np.empty(len(gold))
    weights, chosen = [], []
    for train, test in _folds(clusters):
        model = _ridge().fit(scores[train], gold[train])
        predictions[test] = model.predict(scores[test])
        weights.append(model[-1].coef_)
        best = _best_metric(scores[train], gold[train])
        slope, height = np.polyfit(scores[train, best], gold[train], 1)
        single[test] = height + slope * scores[test, best]
        chosen.append(best)
    return Combination(predictions, np.array(weights), single, np.array(chosen, dtype=np.int64))


def _best_metric(scores: NDArray[np.float64], gold: NDArray[np.float64]) -> int:
    """The column with the highest Pearson correlation; one without variation has none."""
    centred = scores - scores.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=0))
    products = centred.T @ (gold - gold.mean())
    return int(np.argmax(np.where(spread > 0, products / np.where(spread > 0, spread, 1), -np.inf)))


def _ridge() -> Any:
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), RidgeCV(PENALTIES))


def _folds(
    clusters: NDArray[np.int64],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    from sklearn.model_selection import GroupKFold

    folds = min(FOLDS, len(np.unique(clusters)))
    if folds < 2:
        raise ValueError("a prediction from other passages needs two passages or more")
    yield from GroupKFold(folds).split(clusters, groups=clusters)
