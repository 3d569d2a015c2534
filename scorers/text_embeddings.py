"""Embeddings of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import Metric

if TYPE_CHECKING:
    from scorers.models import Models


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
