"""A text as units with weights: what the weighted n-gram metrics count."""

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
    """The units of a text in order, and the weight of each: from 0 to 1, not all of them 0."""

    tokens: tuple[str, ...]
    weights: Weights

    def __len__(self) -> int:
        return len(self.tokens)


def make_units(keyphrases: Keyphrases, tokens: Tokens, pooling: Pooling) -> Units:
    """The units of a text from the weights of its wordpieces.

    "pieces" are the wordpieces themselves. "words" are the words the encoder's tokeniser cuts
    into pieces, in lower case; a word's weight is the mean of its pieces' weights, the largest,
    or the first one's. Units made of punctuation only, ASCII's symbols such as "$" among it, are
    left out either way.
    """
    if tokens == "pieces":
        named = list(zip(keyphrases.pieces, keyphrases.weights.tolist(), strict=True))
    else:
        named = _word_weights(keyphrases, pooling)
    kept = [(token, weight) for token, weight in named if not _is_punctuation(token)]
    return Units(
        tuple(token for token, _ in kept),
        np.array([weight for _, weight in kept], dtype=np.float64),
    )


def group_words(keyphrases: Keyphrases) -> Iterator[tuple[str, list[int]]]:
    """Each word of a text in lower case, with the places of the wordpieces it is cut into."""
    numbers = keyphrases.words
    for _, group in groupby(range(len(numbers)), key=lambda place: numbers[place]):
        places = list(group)
        start, end = keyphrases.spans[places[0]][0], keyphrases.spans[places[-1]][1]
        yield keyphrases.text[start:end].lower(), places


def _word_weights(keyphrases: Keyphrases, pooling: Pooling) -> list[tuple[str, float]]:
    weights = keyphrases.weights.tolist()
    return [
        (word, _pool([weights[place] for place in places], pooling))
        for word, places in group_words(keyphrases)
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
