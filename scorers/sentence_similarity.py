"""Cosine of sentence embeddings.

A text's embedding is the mean of its last layer's token vectors, special tokens included, as in the
model card of the default encoder (Reimers and Gurevych, 2019). The score is the cosine of the
candidate's and the reference's embeddings. Range [-1, 1]; higher is better. With several references
the best score counts. An empty text has the embedding of the special tokens. Of a text longer than
the encoder reads only the beginning counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import Metric, MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Registration
from scorers.batch import Batch
from scorers.encoder_options import (
    PairScorer,
    best_of_pairs,
    encoder_key,
    encoder_options,
    encoder_settings,
    encoder_versions,
)
from scorers.encoders import last_layer

if TYPE_CHECKING:
    from scorers.models import Models


class SentenceSimilarity(Metric):
    """See the module."""

    has_model = True
    seconds_per_comparison = 5e-3

    info = MetricInfo(
        title="Sentence similarity",
        summary="Cosine of the mean of each text's contextual token vectors.",
        family="contextual similarity",
        range=(-1.0, 1.0),
    )

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(spec)
        self.encoder = encoder_key(self)
        self.layers = (spec.options["layer"],)

    def settings(self) -> dict[str, str]:
        return {**super().settings(), **encoder_settings(self)}

    def versions(self) -> dict[str, str]:
        return encoder_versions()

    def compare(self, batch: Batch) -> Scores:
        (layer,) = self.layers

        def prepare(texts: list[tuple[str, str]]) -> PairScorer:
            states = batch.services.models.states(
                encoder_key(self), self.layers, [text for _, text in texts], batch.tick
            )
            pooled = {text: mean_vector(states[text].at(layer)) for _, text in texts}
            return lambda _, candidate, reference: (
                float(np.clip(pooled[candidate] @ pooled[reference], -1.0, 1.0)),
            )

        scores: Scores = best_of_pairs(batch, prepare)[0]
        return scores


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


REGISTRATIONS = (
    Registration("sentence-similarity", SentenceSimilarity, encoder_options(last_layer)),
)
