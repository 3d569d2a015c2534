"""Options of metrics whose values are texts or numbers.

`concord.formats.numbers` is imported when a value is parsed, because `concord.formats` loads all
readers of files, which no metric uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from concord.metrics.registration import Option


def text_option(default: str, help: str = "") -> Option:
    """An option whose value is a non-empty text."""

    def parse(text: str) -> str:
        if not text:
            raise ValueError("must not be empty")
        return text

    return Option(default=default, parse=parse, help=help)


def number_option(
    default: int,
    minimum: int,
    help: str = "",
    default_of: Callable[[Mapping[str, Any]], int] | None = None,
) -> Option:
    """An option whose value is a whole number of at least `minimum`."""

    def parse(text: str) -> int:
        from concord.formats.numbers import read_whole_number

        value = read_whole_number(text)
        if isinstance(value, str) or value < minimum:
            raise ValueError(f"must be a whole number of at least {minimum}, not {text!r}")
        return value

    return Option(default=default, parse=parse, help=help, default_of=default_of)


def number_in_range(
    default: float, is_valid: Callable[[float], bool], requirement: str, help: str
) -> Option:
    """An option whose value is a number, rounded to six significant digits.

    `requirement` states the valid values in errors.
    """

    def parse(text: str) -> float:
        value = parse_number(text)
        if value is None or not is_valid(value):
            raise ValueError(f"must be {requirement}, not {text!r}")
        return float(f"{value:g}")  # the value of its text

    return Option(default, parse, lambda value: f"{value:g}", help)


def parse_number(text: str) -> float | None:
    """The finite number that a text states; None if it states none."""
    from concord.formats.numbers import read_number

    value = read_number(text)
    return None if isinstance(value, str) else value
