"""The weighted units of a text that the KPQA metrics count, their adjustment and their overlap."""

from __future__ import annotations

import math
import string
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal

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


_NUMBER_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
"""
_UNIT_WORDS = """
% percent percentage hundred thousand million billion trillion dozen
second seconds sec secs minute minutes min mins hour hours hr hrs day days week weeks
month months year years yr yrs decade decades century centuries
inch inches foot feet ft yard yards yd mile miles mi meter meters metre metres m
centimeter centimeters centimetre centimetres cm millimeter millimeters millimetre millimetres
mm kilometer kilometers kilometre kilometres km
ounce ounces oz pound pounds lb lbs ton tons tonne tonnes gram grams g kilogram kilograms kg
milligram milligrams mg microgram micrograms mcg
cup cups pint pints quart quarts gallon gallons liter liters litre litres l
milliliter milliliters millilitre millilitres ml teaspoon teaspoons tsp tablespoon tablespoons
tbsp square cubic sq acre acres hectare hectares
degree degrees fahrenheit celsius f c dollar dollars cent cents euro euros usd
calorie calories kcal watt watts kw volt volts amp amps joule joules hertz hz mhz ghz
byte bytes bit bits kb mb gb tb mph kph knot knots rpm
"""
_NUMBERS = frozenset(_NUMBER_WORDS.split())
_UNITS = frozenset(_UNIT_WORDS.split())

#: Weights spread over more wordpieces than this (effective number) are flattened; chosen on the
#: first halves of KPQA's two sets.
MAX_CONCENTRATED_PIECES = 12


@dataclass(frozen=True, slots=True)
class Adjustment:
    """An adjustment of the weights of a text.

    units: the factor, from 0 to 1, for a unit of measure that follows a number; 1 changes nothing.
    flatten: the share, from 0 to 1, by which weights move towards their mean if they are spread
    over more than MAX_CONCENTRATED_PIECES wordpieces (`effective_number`); 0 changes nothing, 1
    makes them equal. `units` is applied first.
    """

    units: float = 1.0
    flatten: float = 0.0

    def __call__(self, keyphrases: Keyphrases) -> Keyphrases:
        """A copy with adjusted weights."""
        weights = keyphrases.weights
        if self.units != 1:
            weights = weights.copy()
            weights[unit_pieces(keyphrases)] *= self.units
        if self.flatten and effective_number(weights) > MAX_CONCENTRATED_PIECES:
            weights = (1 - self.flatten) * weights + self.flatten * weights.mean()
        return replace(keyphrases, weights=weights)


def effective_number(weights: NDArray[np.float64]) -> float:
    """The effective number of positive weights: the exponential of the entropy of their shares.

    n equal weights give n, a single positive weight gives 1, no positive weight gives 0.
    """
    positive = weights[weights > 0]
    if not len(positive):
        return 0.0
    shares = positive / positive.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def unit_pieces(keyphrases: Keyphrases) -> list[int]:
    """The indices of the wordpieces of English units of measure that follow a number.

    A number is a word with a digit or a number word up to ninety. A unit follows it directly,
    after a hyphen ("5-year"), or after another unit ("5 million years").
    """
    pieces: list[int] = []
    after_number = False
    for word, word_pieces in group_words(keyphrases):
        if word in _NUMBERS or any(character.isdigit() for character in word):
            after_number = True
        elif after_number and word in _UNITS:
            pieces += word_pieces
        elif word != "-":
            after_number = False
    return pieces


def clipped_overlap(candidate: Sequence[str], weights: Weights, reference: Sequence[str]) -> float:
    """The weight of the candidate's units that occur in the reference, clipped by count.

    A unit that occurs k times in the reference matches at most k of the candidate's units, the
    heaviest ones.
    """
    available = Counter(reference)
    matched: defaultdict[str, list[float]] = defaultdict(list)
    for unit, weight in zip(candidate, weights.tolist(), strict=True):
        if unit in available:
            matched[unit].append(weight)
    return math.fsum(
        math.fsum(sorted(occurrences, reverse=True)[: available[unit]])
        for unit, occurrences in matched.items()
    )


def literal_overlap(candidate: Sequence[str], weights: Weights, reference: Sequence[str]) -> float:
    """The double sum of equation (1) as printed: every pair of equal units counts."""
    available = Counter(reference)
    return math.fsum(
        weight * available[unit] for unit, weight in zip(candidate, weights.tolist(), strict=True)
    )


def heaviest_common_subsequence(
    one: Sequence[str], weights: Weights, other: Sequence[str]
) -> float:
    """The largest weight a common subsequence can have, by the weights of the first sequence.

    Weights must not be negative. The maximum is over all common subsequences, not only the longest
    ones, so it does not depend on the order of repeated units. Needs O(len(one)) vector operations
    of length len(other).
    """
    return float(_best_common_subsequence(one, weights, other))


def longest_common_subsequence_weight(
    one: Sequence[str], weights: Weights, other: Sequence[str]
) -> float:
    """The weight of a longest common subsequence, by the weights of the first sequence.

    Equation (5) does not say which one if several are longest. Here it is the heaviest, so the
    value is the same for the reversed texts. Weights must not be negative. Needs O(len(one)) vector
    operations of length len(other).
    """
    # numpy orders complex numbers by the real part, here the length, then by the imaginary one.
    return float(_best_common_subsequence(one, 1 + 1j * weights, other).imag)


def _best_common_subsequence(
    one: Sequence[str], values: NDArray[Any], other: Sequence[str]
) -> np.generic:
    """The largest sum of values, one for each unit of `one`, over the common subsequences."""
    positions: defaultdict[str, list[int]] = defaultdict(list)
    for position, unit in enumerate(other):
        positions[unit].append(position)
    # best[j + 1]: the best common subsequence of the units read so far and other[: j + 1].
    best = np.zeros(len(other) + 1, dtype=values.dtype)
    for unit, value in zip(one, values, strict=True):
        if unit in positions:
            matching = np.array(positions[unit])
            step = best.copy()
            step[matching + 1] = np.maximum(step[matching + 1], best[matching] + value)
            best = np.maximum.accumulate(step)
    last: np.generic = best[-1]
    return last


def f_measure(precision: float, recall: float, beta: float) -> float:
    """The weighted harmonic mean of equation (4); 0 if both are 0."""
    denominator = recall + beta**2 * precision
    if denominator <= 0:
        return 0.0
    return (1 + beta**2) * precision * recall / denominator
