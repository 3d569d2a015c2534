"""Cosine of sentence embeddings.

A text's embedding is the mean of its last layer's token vectors, special tokens included, as in the
model card of the default encoder (Reimers and Gurevych, 2019). The score is the cosine of the
candidate's and the reference's embeddings. Range [-1, 1]; higher is better. With several references
the best score counts. An empty text has the embedding of the special tokens. Of a text longer than
the encoder reads only the beginning counts.
"""

from __future__ import annotations

import numpy as np

from concord.metrics.metric import Metric, MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Registration
from scorers.batch import Batch
from scorers.encoder_options import (
    comparison_groups,
    encoder_key,
    encoder_options,
    encoder_settings,
    encoder_versions,
)
from scorers.encoders import last_layer
from scorers.text_embeddings import mean_vector


class SentenceSimilarity(Metric):
    """See the module."""

    has_model = True
    seconds_per_comparison = 5e-3

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(
            spec,
            MetricInfo(
                title="Sentence similarity",
                summary="Cosine of the mean of each text's contextual token vectors.",
                family="contextual similarity",
                range=(-1.0, 1.0),
            ),
        )
        self.encoder = encoder_key(self)
        self.layers = (spec.options["layer"],)

    def settings(self) -> dict[str, str]:
        return {**super().settings(), **encoder_settings(self)}

    def versions(self) -> dict[str, str]:
        return encoder_versions()

    def compare(self, batch: Batch) -> Scores:
        comparisons = batch.comparisons
        scores = np.full(len(comparisons), -np.inf)
        for group in comparison_groups(batch):
            texts = dict.fromkeys(
                text
                for i in group
                for text in (comparisons.candidates[i], *comparisons.references[i])
            )
            states = batch.services.models.states(encoder_key(self), self.layers, texts, batch.tick)
            pooled = {text: mean_vector(states[text].at(self.layers[0])) for text in texts}
            for i in group:
                candidate = pooled[comparisons.candidates[i]]
                scores[i] = max(
                    _cosine(candidate, pooled[reference]) for reference in comparisons.references[i]
                )
        return scores


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.clip(one @ other, -1.0, 1.0))


REGISTRATIONS = (
    Registration("sentence-similarity", SentenceSimilarity, encoder_options(last_layer)),
)
