"""The weighted units of a text that the KPQA metrics count."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scorers.keyphrases.predictor import Keyphrases

Weights = NDArray[np.float64]
Tokens = Literal["words", "pieces"]
Pooling = Literal["mean", "max", "first"]


@dataclass(frozen=True, slots=True)
class Units:
    """The units of a text in order, with weights from 0 to 1, not all of them 0."""

    tokens: tuple[str, ...]
    weights: Weights

    def __len__(self) -> int:
        return len(self.tokens)


def make_units(keyphrases: Keyphrases, tokens: Tokens, pooling: Pooling) -> Units:
    """The units of a text from the weights of its wordpieces.

    The units "pieces" are the wordpieces. The units "words" are the tokeniser's words in lower
    case; a word's weight is the mean, the largest or the first of its pieces' weights. Units of
    punctuation or ASCII symbols such as "$" alone are left out.
    """
    if tokens == "pieces":
        units = list(zip(keyphrases.pieces, keyphrases.weights.tolist(), strict=True))
    else:
        units = _word_weights(keyphrases, pooling)
    units = [(token, weight) for token, weight in units if not _is_punctuation(token)]
    return Units(
        tuple(token for token, _ in units),
        np.array([weight for _, weight in units], dtype=np.float64),
    )


def group_words(keyphrases: Keyphrases) -> Iterator[tuple[str, list[int]]]:
    """Each word of a text in lower case, with the indices of its wordpieces."""
    words = keyphrases.words
    for _, group in groupby(range(len(words)), key=lambda index: words[index]):
        indices = list(group)
        start, end = keyphrases.spans[indices[0]][0], keyphrases.spans[indices[-1]][1]
        yield keyphrases.text[start:end].lower(), indices


def _word_weights(keyphrases: Keyphrases, pooling: Pooling) -> list[tuple[str, float]]:
    weights = keyphrases.weights.tolist()
    return [
        (word, _pool([weights[index] for index in indices], pooling))
        for word, indices in group_words(keyphrases)
    ]


def _pool(weights: Sequence[float], pooling: Pooling) -> float:
    if pooling == "max":
        return max(weights)
    if pooling == "first":
        return weights[0]
    return sum(weights) / len(weights)


def _is_punctuation(token: str) -> bool:
    bare = token.removeprefix("##")
    return all(
        character in string.punctuation or unicodedata.category(character)[0] == "P"
        for character in bare
    )
