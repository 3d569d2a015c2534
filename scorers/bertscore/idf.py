"""Inverse document frequencies of wordpieces, as the bert-score package computes them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np

from concord.metrics.items import Corpus
from scorers.bertscore.matching import Vector
from scorers.encoders import Encoder


class InverseFrequencies:
    """idf = log((N + 1) / (df + 1)) over a corpus's references, each of them a document.

    N counts every reference of every row, including equal ones. A token that occurs in no reference
    has log(N + 1). The special tokens occur in all references, so their weight is 0.
    """

    def __init__(self, corpus: Corpus, encoder: Encoder) -> None:
        rows: Counter[str] = Counter()
        for references, count in corpus.documents.items():
            for reference in references:
                rows[reference] += count
        frequencies: Counter[int] = Counter()
        for pieces, count in zip(encoder.tokenise(list(rows)), rows.values(), strict=True):
            for token in set(pieces.ids):
                frequencies[token] += count
        documents = rows.total()
        self._unknown = math.log(documents + 1)
        self._weights = {
            token: math.log((documents + 1) / (count + 1)) for token, count in frequencies.items()
        }

    def weights(self, tokens: Iterable[int]) -> Vector:
        """The weight of each token, in order."""
        return np.array(
            [self._weights.get(token, self._unknown) for token in tokens], dtype=np.float64
        )
