"""The options of the KPQA metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from concord.formats.numbers import read_number
from concord.metrics.registration import Option, choice
from scorers.encoder_options import text_option
from scorers.kpqa.units import MAX_CONCENTRATED_PIECES, Adjustment

_DEFAULTS = Adjustment()


def weight_options(predictor: str, literal: str) -> Mapping[str, Option]:
    """The options of every KPQA metric.

    `predictor` is the default checkpoint; `literal` describes the literal form for the help.
    """
    return {
        "predictor": text_option(
            predictor, "the checkpoint of the keyphrase predictor: a name or a folder"
        ),
        "form": choice(
            "bounded",
            "literal",
            help="bounded: scores stay in [0, 1] and an identical answer has 1; "
            f"literal: the equations as printed in the paper, {literal}",
        ),
        "units": _share(
            _DEFAULTS.units,
            "the factor, from 0 to 1, of the weight of a unit of measure that follows a number",
        ),
        "flatten": _share(
            _DEFAULTS.flatten,
            "the share, from 0 to 1, by which the weights of a text move to their mean where they "
            f"spread over more than {MAX_CONCENTRATED_PIECES} wordpieces",
        ),
    }


#: The options of the metrics that count words or wordpieces.
UNIT_OPTIONS: Mapping[str, Option] = {
    "tokens": choice("words", "pieces", help="what is counted: words, or the encoder's wordpieces"),
    "weight": choice(
        "mean",
        "max",
        "first",
        help="a word's weight: the mean of its wordpieces' weights, the largest, or the first",
    ),
}


def number_in_range(
    default: float, is_valid: Callable[[float], bool], requirement: str, help: str
) -> Option:
    """An option whose value is a number, rounded to six significant digits.

    `requirement` states the valid values in errors.
    """

    def parse(text: str) -> float:
        value = read_number(text)
        if isinstance(value, str) or not is_valid(value):
            raise ValueError(f"must be {requirement}, not {text!r}")
        return float(f"{value:g}")  # the value of its text

    return Option(default, parse, lambda value: f"{value:g}", help)


def _share(default: float, help: str) -> Option:
    return number_in_range(default, lambda value: 0 <= value <= 1, "from 0 to 1", help)
