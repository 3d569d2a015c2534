"""Greedy matching of tokens by cosine (Zhang et al., 2020, Section 3), and tokens' weights."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from concord.metrics.items import Corpus
from scorers.encoders import Encoder
from scorers.models import States

Vector = NDArray[np.float64]


def unit_vectors(states: States, layer: int, *, special: bool) -> NDArray[np.float32]:
    """A text's token vectors of length 1, shape (tokens, width), with or without special tokens."""
    values = states.at(layer)
    if not special:
        values = values[states.start : states.end]
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    unit: NDArray[np.float32] = values / np.maximum(lengths, np.float32(1e-12))
    return unit


def best_cosines(
    candidate: NDArray[np.float32], reference: NDArray[np.float32]
) -> tuple[Vector, Vector]:
    """Each candidate token's best cosine with a reference token, and the reverse; float64.

    Both sides must have tokens.
    """
    cosines = candidate @ reference.T
    return cosines.max(axis=1).astype(np.float64), cosines.max(axis=0).astype(np.float64)


def weighted_mean(values: Vector, weights: Vector) -> float:
    """The mean of values with non-negative weights; 0.0 if all weights are zero."""
    total = float(weights.sum())
    return float(values @ weights) / total if total > 0 else 0.0


def harmonic_mean(precision: float, recall: float) -> float:
    """F1; 0.0 if precision and recall sum to 0."""
    total = precision + recall
    return 2 * precision * recall / total if total != 0 else 0.0


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
