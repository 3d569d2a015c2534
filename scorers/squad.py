"""Exact match and token F1 of SQuAD's evaluation script (version 1.1).

Both compare normalised texts: lower-cased, without ASCII punctuation, without the articles a, an
and the, white space collapsed. Exact match is 1.0 when the two are equal, else 0.0. Token F1 is
the harmonic mean of precision and recall of the words, counted with repetition, and 0.0 when no
word is shared (Rajpurkar et al., 2016).

Input: a candidate and its references. Range [0, 1]; higher is better. With several references
the best counts, both under max and under joint, as in the script. A candidate that is empty after
normalisation matches an empty reference exactly, but its token F1 is always 0.0. The
corpus-level value is the mean of the item scores (the script prints it times 100).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from concord.metrics.metric import MeanMetric, MetricInfo, Scores
from concord.metrics.registration import Registration
from scorers.batch import Batch


class _Squad(MeanMetric):
    tokeniser = "squad"
    _score: Callable[[str, str], float]

    def compare(self, batch: Batch) -> Scores:
        texts = batch.texts(self.tokeniser)
        if len(texts.candidate) == 0:
            return np.zeros(0)
        candidates = np.repeat(texts.candidate, texts.reference_counts).tolist()
        scores = [
            self._score(texts.distinct[candidate], texts.distinct[reference])
            for candidate, reference in zip(candidates, texts.reference.tolist(), strict=True)
        ]
        best: Scores = np.maximum.reduceat(np.array(scores), texts.offsets[:-1])
        return best


class ExactMatch(_Squad):
    """1.0 where candidate and reference are equal after normalisation; see the module."""

    info = MetricInfo(
        title="Exact match",
        summary="Whether candidate and reference are equal after SQuAD's normalisation.",
        family="answer match",
        range=(0.0, 1.0),
        has_corpus_score=True,
    )

    @staticmethod
    def _score(candidate: str, reference: str) -> float:
        return float(candidate == reference)


class TokenF1(_Squad):
    """F1 of the shared words after normalisation; see the module."""

    info = MetricInfo(
        title="Token F1",
        summary="F1 of the words the two texts share after SQuAD's normalisation.",
        family="answer match",
        range=(0.0, 1.0),
        has_corpus_score=True,
    )

    @staticmethod
    def _score(candidate: str, reference: str) -> float:
        candidate_words, reference_words = candidate.split(), reference.split()
        shared = (Counter(candidate_words) & Counter(reference_words)).total()
        if shared == 0:
            return 0.0
        precision = shared / len(candidate_words)
        recall = shared / len(reference_words)
        return 2 * precision * recall / (precision + recall)


REGISTRATIONS = (Registration("exact-match", ExactMatch), Registration("token-f1", TokenF1))
