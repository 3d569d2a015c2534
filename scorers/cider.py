"""CIDEr as the COCO caption scripts compute it: CIDEr-D.

Each text is a vector of n-gram counts, each times the n-gram's weight log N - log df, where N is
the number of documents of the corpus and df how many of them contain the n-gram (Vedantam et al.,
2015). For n = 1..4 the similarity of candidate and reference is the cosine with the candidate's
components clipped at the reference's, times exp(-d^2 / (2 * 6^2)), d being the difference in
length; the score is the mean over n and over the references, times 10. "Length" is the number
of bigrams, as in the COCO scripts.

Input: a candidate and its references, split at white space after tokenisation (option `tokens`).
Range [0, 10]; higher is better. **The score depends on the set**: the documents are the
references of each candidate row of the corpus. Under joint references a document is all of a
row's references; under max, where candidates meet references one by one, the k-th references of
all rows that have one are the documents for the k-th reference. A corpus of one row gives log 1 =
0 for every n-gram and scores 0.0 throughout. An empty candidate scores 0.0, as does an empty
reference. Raises ValueError when the corpus has no row with as many references as an item, under
max. The corpus-level value is the mean of the item scores, references joint.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import MeanMetric, MetricInfo, Scores
from concord.metrics.registration import Registration
from scorers.batch import Batch
from scorers.ngrams import MAX_ORDER, BatchTexts, DocumentFrequencies, Integers
from scorers.tokens import TOKENS, CocoMetric

_SIGMA = 6.0
_SCALE = 10.0


class Cider(CocoMetric, MeanMetric):
    """COCO's CIDEr; see the module."""

    info = MetricInfo(
        title="CIDEr",
        summary=(
            "Clipped cosine of n-gram vectors weighted by their rarity in the set's "
            "references (CIDEr-D), as the COCO caption scripts compute it."
        ),
        family="n-gram overlap",
        range=(0.0, 10.0),
        set_dependent=True,
        has_corpus_score=True,
    )

    def compare(self, batch: Batch) -> Scores:
        texts = batch.texts(self.tokeniser)
        frequencies = batch.frequencies(self.tokeniser)
        positions = batch.comparisons.positions
        if positions is None:
            return cider(texts, frequencies[0])
        scores = np.zeros(len(batch))
        for position in np.unique(positions).tolist():
            if position >= len(frequencies):
                raise ValueError(
                    f"an item has {position + 1} references, but no row of the corpus has as many: "
                    "score it against a corpus that contains it"
                )
            comparisons = np.flatnonzero(positions == position)
            scores[comparisons] = cider(
                texts.select_single_reference(comparisons), frequencies[position]
            )
        return scores


def cider(texts: BatchTexts, frequencies: DocumentFrequencies) -> Scores:
    """Score every comparison: shape (n comparisons,)."""
    pairs = len(texts.reference)
    comparison = np.repeat(np.arange(len(texts.candidate)), texts.reference_counts)
    candidate = texts.candidate[comparison]
    bigrams = np.maximum(0, texts.grams.lengths - 1)
    penalty = _penalty(bigrams[candidate] - bigrams[texts.reference])
    weights = frequencies.weights(texts.grams)
    total = np.zeros(len(texts.candidate))
    for n in range(1, MAX_ORDER + 1):
        similarity = _clipped_dot(texts, n, weights[n - 1], pairs)
        norms = _norms(texts, n, weights[n - 1])
        product = norms[candidate] * norms[texts.reference]
        np.divide(similarity, product, out=similarity, where=product != 0)
        total += np.bincount(comparison, similarity * penalty, minlength=len(total))
    scores: Scores = total / MAX_ORDER / texts.reference_counts * _SCALE
    return scores


def _clipped_dot(texts: BatchTexts, n: int, weights: Scores, pairs: int) -> Scores:
    """Sum over the candidate's n-grams: min(candidate, reference) * reference, per pair."""
    grams, matches = texts.grams.order(n), texts.matches(n)
    weight = weights[grams.gram[matches.row_entry]]
    candidate = grams.count[matches.row_entry] * weight
    reference = matches.row_reference_count * weight
    # bincount adds in the order of its input, which is the order of the candidate's n-grams.
    products = np.minimum(candidate, reference) * reference
    return np.bincount(matches.row_pair, products, minlength=pairs).astype(np.float64)


def _norms(texts: BatchTexts, n: int, weights: Scores) -> NDArray[np.float64]:
    """The Euclidean length of each distinct text's vector."""
    grams = texts.grams.order(n)
    squares = (grams.count * weights[grams.gram]) ** 2
    return np.sqrt(np.bincount(grams.text, squares, minlength=len(texts.distinct)))


def _penalty(difference: Integers) -> Scores:
    """The Gaussian of each difference in length, computed one by one by the C library."""
    distinct, inverse = np.unique(difference, return_inverse=True)
    values = [math.e ** (-(d**2) / (2 * _SIGMA**2)) for d in distinct.tolist()]
    return np.array(values, dtype=np.float64)[inverse]


REGISTRATIONS = (Registration("cider", Cider, TOKENS),)
