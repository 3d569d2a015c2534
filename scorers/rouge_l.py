"""ROUGE-L as the COCO caption scripts compute it.

With L the length of the longest common subsequence of words, precision is L / candidate length
and recall L / reference length (Lin, 2004); the score is their F measure with beta = 1.2,
(1 + b^2) P R / (R + b^2 P), which favours recall.

Input: a candidate and its references after tokenisation (option `tokens`), split at single
spaces, so that an empty text is one empty word. Range [0, 1]; higher is better. With joint
references P and R are each the highest over the references, not always of the same one. An empty
candidate scores 0.0 unless a reference is empty too; against an empty reference it scores 1.0.
The corpus-level value is the mean of the item scores.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from concord.metrics.metric import MeanMetric, MetricInfo, Scores
from concord.metrics.registration import Registration
from scorers.batch import Batch
from scorers.ngrams import BatchTexts
from scorers.tokens import TOKENS, CocoMetric


def lcs_length(first: Sequence[str], second: Sequence[str]) -> int:
    """The number of words in the longest common subsequence of two texts.

    Hyyrö's (2004) algorithm: the column of the dynamic program is a bit vector with a zero wherever
    the column's value rises by one, and one addition advances it by one word of the other text.
    """
    if len(first) > len(second):
        first, second = second, first
    # For each word of the shorter text, the bit mask of its positions there.
    positions: dict[str, int] = {}
    bit = 1
    for word in first:
        positions[word] = positions.get(word, 0) | bit
        bit <<= 1
    full = column = bit - 1
    for word in second:
        if word in positions:
            matched = column & positions[word]
            column = ((column + matched) | (column - matched)) & full
    return len(first) - column.bit_count()


_BETA_SQUARED = 1.2**2


class RougeL(CocoMetric, MeanMetric):
    """COCO's ROUGE-L; see the module."""

    info = MetricInfo(
        title="ROUGE-L",
        summary=(
            "F measure (beta 1.2) of the longest common subsequence of words, as the "
            "COCO caption scripts compute it."
        ),
        family="n-gram overlap",
        range=(0.0, 1.0),
        has_corpus_score=True,
    )

    def compare(self, batch: Batch) -> Scores:
        texts = batch.texts(self.tokeniser)
        if len(texts.candidate) == 0:
            return np.zeros(0)
        precision, recall = _precision_and_recall(texts)
        denominator = recall + _BETA_SQUARED * precision
        scores = np.zeros(len(precision))
        np.divide(
            (1 + _BETA_SQUARED) * precision * recall,
            denominator,
            out=scores,
            where=(precision != 0) & (recall != 0),
        )
        return scores


def _precision_and_recall(texts: BatchTexts) -> tuple[Scores, Scores]:
    """The highest precision and the highest recall over each comparison's references."""
    words = [text.split(" ") for text in texts.distinct]
    lengths = np.array([len(text_words) for text_words in words], dtype=np.float64)
    candidates = np.repeat(texts.candidate, texts.reference_counts)
    pairs = list(zip(candidates.tolist(), texts.reference.tolist(), strict=True))
    by_pair = {pair: lcs_length(words[pair[0]], words[pair[1]]) for pair in dict.fromkeys(pairs)}
    shared = np.array([by_pair[pair] for pair in pairs], dtype=np.float64)
    starts = texts.offsets[:-1]
    return (
        np.maximum.reduceat(shared / lengths[candidates], starts),
        np.maximum.reduceat(shared / lengths[texts.reference], starts),
    )


REGISTRATIONS = (Registration("rouge-l", RougeL, TOKENS),)
