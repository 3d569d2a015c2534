"""Adjustments of keyphrase weights for two kinds of error that KPQA's analysis names (Section 5.4).

In answers to numeric questions a unit of measure ("million", "years") often has a higher weight
than its number. In answers to descriptive questions the information is spread over the whole
answer. Both adjustments are off by default.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scorers.keyphrases.predictor import Keyphrases
from scorers.kpqa.units import group_words

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
