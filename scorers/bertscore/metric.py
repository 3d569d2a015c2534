"""BERTScore: precision, recall and F1 of contextual token vectors (Zhang et al., 2020).

Each token of the candidate is matched to the reference's token with the highest cosine, and the
reverse; precision is the mean over the candidate's wordpieces, recall over the reference's, and
`bertscore` is their F1. As in the bert-score package the special tokens have no weight but may be
matched to. With `idf=true` the means are weighted by the inverse document frequency of the
wordpieces over the references of the set, so the scores depend on the set. `rescale` takes a file
written by `python -m scorers baseline` (or "true", for a known encoder). Scores then become
(score - b) / (1 - b), where b is the score of unrelated texts at that layer.

Range [-1, 1], unbounded when rescaled; higher is better. Of a text longer than the encoder reads
only the beginning counts. An empty candidate or reference scores 0.0 before rescaling. With several
references the best single-reference score counts, for P, R and F1 separately, as in the package;
"joint" is the same.

The package's scores may depend on its batches, because it pads with cosine 0: a negative best match
becomes 0 if the batch pads that pair. The scores here are always those of a single pair.
"""

from __future__ import annotations

import math

import numpy as np

from concord.metrics.metric import Metric, MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Registration, switch
from scorers.batch import Batch
from scorers.bertscore.baseline import Baseline
from scorers.bertscore.matching import (
    InverseFrequencies,
    Vector,
    best_cosines,
    harmonic_mean,
    unit_vectors,
    weighted_mean,
)
from scorers.encoder_options import (
    PairScorer,
    best_of_pairs,
    encoder_key,
    encoder_options,
    encoder_settings,
    encoder_versions,
)
from scorers.encoders import bertscore_layer
from scorers.models import States
from scorers.options import text_option

_KINDS = {"bertscore-p": 0, "bertscore-r": 1, "bertscore": 2}
_TITLES = ("BERTScore precision", "BERTScore recall", "BERTScore")
_FIGURES = ("Precision", "Recall", "F1")


class BertScore(Metric):
    """One of the three figures; see the module."""

    has_model = True
    seconds_per_comparison = 5e-3

    def __init__(self, spec: MetricSpec) -> None:
        kind = _KINDS[spec.base]
        idf = spec.options["idf"]
        rescaled = spec.options["rescale"] != "false"
        super().__init__(
            spec,
            MetricInfo(
                title=_TITLES[kind],
                summary=f"{_FIGURES[kind]} of wordpieces matched by the cosine of their "
                "contextual vectors.",
                family="contextual similarity",
                range=(-math.inf, math.inf) if rescaled else (-1.0, 1.0),
                set_dependent=idf,
            ),
        )
        self._kind = kind
        self._idf = idf
        self.encoder = encoder_key(self)
        self.layers = (spec.options["layer"],)

    def settings(self) -> dict[str, str]:
        settings = {**super().settings(), **encoder_settings(self)}
        if self.spec.options["rescale"] != "false":
            settings["rescale"] = self._baseline().fingerprint
        return settings

    def versions(self) -> dict[str, str]:
        return encoder_versions()

    def _baseline(self) -> Baseline:
        return Baseline.of(self.spec.options["rescale"], self.spec.options["model"])

    def compare(self, batch: Batch) -> Scores:
        options = self.spec.options
        key = ("bertscore", self.encoder, options["layer"], self._idf)
        figures = batch.shared(key, lambda: self._figures(batch))[self._kind]
        if options["rescale"] != "false":
            base = self._baseline().at(options["layer"])[self._kind]
            return (figures - base) / (1 - base)
        return figures

    def _figures(self, batch: Batch) -> tuple[Scores, Scores, Scores]:
        """P, R and F1 of each comparison, each the best over its references."""
        frequencies = self._frequencies(batch)
        (layer,) = self.layers

        def prepare(texts: list[tuple[str, str]]) -> PairScorer:
            states = batch.services.models.states(
                encoder_key(self), self.layers, [text for _, text in texts], batch.tick
            )
            vectors = {
                text: (
                    unit_vectors(states[text], layer, special=True),
                    _token_weights(states[text], frequencies),
                )
                for _, text in texts
            }
            return lambda _, candidate, reference: _score_pair(
                vectors[candidate], vectors[reference]
            )

        best = best_of_pairs(batch, prepare, figures=3)
        return best[0], best[1], best[2]

    def _frequencies(self, batch: Batch) -> InverseFrequencies | None:
        if not self._idf or batch.corpus is None or self.encoder is None:
            return None
        return batch.services.models.frequencies(self.encoder, batch.corpus)


def _token_weights(states: States, frequencies: InverseFrequencies | None) -> Vector:
    """The weight of each token; special tokens have 0."""
    weights = np.zeros(len(states.ids))
    inside = states.ids[states.start : states.end]
    weights[states.start : states.end] = 1.0 if frequencies is None else frequencies.weights(inside)
    return weights


def _score_pair(
    candidate: tuple[np.ndarray, Vector], reference: tuple[np.ndarray, Vector]
) -> tuple[float, float, float]:
    """Precision, recall and F1 of one pair; all 0.0 if a side has no weighted token."""
    (c_vectors, c_weights), (r_vectors, r_weights) = candidate, reference
    if not c_weights.any() or not r_weights.any():
        return 0.0, 0.0, 0.0
    of_candidate, of_reference = best_cosines(c_vectors, r_vectors)
    precision = weighted_mean(of_candidate, c_weights)
    recall = weighted_mean(of_reference, r_weights)
    return precision, recall, harmonic_mean(precision, recall)


_OPTIONS = {
    **encoder_options(bertscore_layer),
    "idf": switch(
        False,
        "true: weight wordpieces by their rarity in the set's references, so scores depend on "
        "the set",
    ),
    "rescale": text_option(
        "false",
        "true, or a file of `python -m scorers baseline`: rescale so that unrelated texts score 0",
    ),
}

REGISTRATIONS = tuple(Registration(name, BertScore, _OPTIONS) for name in _KINDS)
