"""BLEU-1 to BLEU-4 as the COCO caption scripts compute them for one sentence.

BLEU-n of a candidate is the geometric mean of its clipped n-gram precisions of orders 1 to n
times the brevity penalty (Papineni et al., 2002). The COCO scripts add small constants to avoid
divisions by zero: an order's precision is (matches + 1e-15) / (n-grams + 1e-9), and the ratio of
lengths in the penalty is (candidate + 1e-15) / (reference + 1e-9). So the score of a candidate that
is shorter than n words, or has no match of some order, is tiny but not zero.

Input: a candidate and its references, split at white space after tokenisation (option `tokens`).
Range [0, 1], up to rounding; higher is better. With joint references an n-gram's count is clipped
at its highest count in any reference, and the penalty uses the reference length closest to the
candidate's, the shorter of two equally close. An empty candidate scores 0.0. Against an empty
reference a candidate of one word or more scores less than 1e-6, which is not 0 because of the
constants.

The corpus-level value sums matches, n-grams and lengths over the items first.

This is not sacrebleu's sentence BLEU: tokens, smoothing and short sentences differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Registration
from scorers.batch import Batch, Services
from scorers.ngrams import MAX_ORDER, BatchTexts, Integers
from scorers.tokens import TOKENS, CocoMetric

_TINY, _SMALL = 1e-15, 1e-9


@dataclass(frozen=True)
class Statistics:
    """BLEU's sufficient statistics, one row per comparison.

    `matches` and `ngrams` have shape (n comparisons, 4), the lengths (n comparisons,).
    """

    matches: Integers
    ngrams: Integers
    candidate_length: Integers
    reference_length: Integers


class Bleu(CocoMetric):
    """BLEU-n; see the module."""

    def __init__(self, spec: MetricSpec) -> None:
        self.order = int(spec.base.removeprefix("bleu-"))
        super().__init__(
            spec,
            MetricInfo(
                title=f"BLEU-{self.order}",
                summary=(
                    f"Clipped precision of n-grams up to order {self.order} with a brevity "
                    "penalty, as the COCO caption scripts compute it for a sentence."
                ),
                family="n-gram overlap",
                range=(0.0, 1.0),
                has_corpus_score=True,
            ),
        )

    def compare(self, batch: Batch) -> Scores:
        scores: list[Scores] = batch.shared(
            ("bleu", self.tokeniser), lambda: sentence_scores(self._statistics(batch))
        )
        return scores[self.order - 1]

    def _statistics(self, batch: Batch) -> Statistics:
        return batch.shared(
            ("bleu statistics", self.tokeniser),
            lambda: ngram_statistics(batch.texts(self.tokeniser)),
        )

    def corpus_statistics(self, batch: Batch) -> Integers:
        """Summed lengths, matches and n-grams: shape (10,)."""
        s = self._statistics(batch)
        lengths = [s.candidate_length.sum(), s.reference_length.sum()]
        return np.concatenate((lengths, s.matches.sum(axis=0), s.ngrams.sum(axis=0)))

    def aggregate(self, parts: Sequence[Integers], services: Services) -> float:
        total = np.sum(parts, axis=0)[np.newaxis]
        summed = Statistics(
            matches=total[:, 2 : 2 + MAX_ORDER],
            ngrams=total[:, 2 + MAX_ORDER :],
            candidate_length=total[:, 0],
            reference_length=total[:, 1],
        )
        return float(sentence_scores(summed)[self.order - 1][0])


def ngram_statistics(texts: BatchTexts) -> Statistics:
    """Count matches, n-grams and lengths for every comparison."""
    rows = len(texts.candidate)
    matches = np.zeros((rows, MAX_ORDER), dtype=np.int64)
    for n in range(1, MAX_ORDER + 1):
        matched = texts.matches(n)
        if len(matched.comparison):
            limit = np.maximum.reduceat(matched.row_reference_count, matched.starts)
            np.add.at(matches[:, n - 1], matched.comparison, np.minimum(matched.count, limit))
    lengths = texts.grams.lengths
    candidate_length = lengths[texts.candidate]
    return Statistics(
        matches=matches,
        ngrams=np.maximum(0, candidate_length[:, np.newaxis] - np.arange(MAX_ORDER)),
        candidate_length=candidate_length,
        reference_length=_closest_lengths(lengths[texts.reference], texts, candidate_length),
    )


def _closest_lengths(
    reference_lengths: Integers, texts: BatchTexts, candidate_length: Integers
) -> Integers:
    """The reference length closest to the candidate's, the shorter of two equally close."""
    if len(reference_lengths) == 0:
        return candidate_length
    # Encodes distance and length in one integer, so that one minimum compares both.
    width = reference_lengths.max() + 1
    target_lengths = np.repeat(candidate_length, texts.reference_counts)
    keys = np.abs(reference_lengths - target_lengths) * width + reference_lengths
    closest: Integers = np.minimum.reduceat(keys, texts.offsets[:-1]) % width
    return closest


def sentence_scores(s: Statistics) -> list[Scores]:
    """BLEU-1 to BLEU-4 from statistics, each of shape (n comparisons,).

    Powers and exponentials are computed one by one by the C library, as in the COCO scripts.
    NumPy's vectorised functions may differ in the last bit, depending on a value's position in the
    array.
    """
    ratio = (s.candidate_length + _TINY) / (s.reference_length + _SMALL)
    penalty = np.array([math.exp(1 - 1 / r) if r < 1 else 1.0 for r in ratio.tolist()])
    product = np.ones(len(ratio))
    scores = []
    for n in range(1, MAX_ORDER + 1):
        product = product * ((s.matches[:, n - 1] + _TINY) / (s.ngrams[:, n - 1] + _SMALL))
        scores.append(_power(product, 1 / n) * penalty)
    return scores


def _power(values: Scores, exponent: float) -> NDArray[np.float64]:
    return np.array([value**exponent for value in values.tolist()], dtype=np.float64)


REGISTRATIONS = tuple(Registration(f"bleu-{n}", Bleu, TOKENS) for n in range(1, MAX_ORDER + 1))
