"""Embeddings of texts, and what can be predicted from them alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import Metric

if TYPE_CHECKING:
    from scorers.models import Models

FOLDS = 10
# Of ridge regression on standardised features, as multiples of a unit variance.
PENALTIES = np.logspace(0, 5, 11)


def embeddings(models: Models, metric: Metric, texts: Sequence[str]) -> NDArray[np.float64]:
    """The embedding of each text by the encoder and layer of a metric such as
    `sentence-similarity`, of unit length: float64 (n, width).

    Needs about 1.5 kB of memory a token: give it some hundred texts at a time.
    """
    assert metric.encoder is not None
    (layer,) = metric.layers
    states = models.states(metric.encoder, [layer], texts)
    return np.array([mean_vector(states[text].at(layer)) for text in texts])


def mean_vector(states: NDArray[np.floating]) -> NDArray[np.float64]:
    """The mean of a text's token vectors (tokens, width), scaled to unit length."""
    mean: NDArray[np.float64] = states.astype(np.float64).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / length if length > 0 else mean


def predict_out_of_fold(
    features: NDArray[np.float64], gold: NDArray[np.float64], clusters: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Predict gold (n,) from features (n, d) by ridge regression: float64 (n,).

    Folds are groups of clusters (passages), so that a prediction never sees gold of its own
    passage. The penalty is chosen on the other folds. Features that predict nothing give a
    correlation slightly below zero, because the mean of the other folds is high where the fold's
    is low. Raises ValueError with fewer than two clusters.
    """
    from sklearn.linear_model import RidgeCV
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    folds = min(FOLDS, len(np.unique(clusters)))
    if folds < 2:
        raise ValueError("a prediction from other passages needs two passages or more")
    model = make_pipeline(StandardScaler(), RidgeCV(PENALTIES))
    predictions: NDArray[np.float64] = cross_val_predict(
        model, features, gold, groups=clusters, cv=GroupKFold(folds)
    )
    return predictions
