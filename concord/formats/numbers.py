"""Numbers as people and models write them: the one reader of them for the whole project.

`concord.formats.fields.parse_number` is for numbers of JSON, which have a type.
"""

from __future__ import annotations

import math
import re
import unicodedata

from concord.formats.errors import quote

MAX_WHOLE = 2**53
"""Above it a float64 does not hold every whole number."""

# What people and word processors write for the hyphen-minus: other hyphens and narrow dashes.
_MINUS = "\N{MINUS SIGN}\u2010\u2011\u2012\u2013\ufe63\uff0d"
_SIGN = "[+-]?"
_PLAIN = re.compile(rf"{_SIGN}(?:\d+(?:[.,]\d+|\.)?|[.,]\d+)(?:[eE]{_SIGN}\d{{1,4}})?")
# Spaces that cannot be taken for the gap between two numbers: no-break, thin, narrow no-break.
_GROUPED = re.compile(
    rf"{_SIGN}[1-9]\d{{0,2}}(?P<separator>[.,'\u2019\u00a0\u2009\u202f])\d{{3}}"
    r"(?:(?P=separator)\d{3})*(?:(?!(?P=separator))[.,]\d+)?"
)
_NOT_FINITE = re.compile(rf"{_SIGN}(?:nan|inf(?:inity)?)", re.IGNORECASE)


def read_number(text: str) -> float | str:
    """The number that a text is, or the message of its fault, such as `is "x"; a number ...`.

    A number is decimal digits of any script. It may have a sign directly before them (also the
    Unicode minus), separators of thousands (commas, points, apostrophes, or no-break or thin
    spaces, every three digits), and a decimal point or comma; without separators of thousands also
    an exponent. Spaces around it are ignored.

    A single point is a decimal point: 1.000 is one. A single comma is a decimal comma, but before
    exactly three digits it could also separate thousands: `1,000` is refused, while `0,125`,
    `1234,567`, `1,000,000` and `1,000.5` have one meaning. NaN, infinite numbers, percentages,
    fractions and several numbers are refused. Zero has no sign.
    """
    written = text.strip()
    ascii_text = written if written.isascii() else "".join(map(_to_ascii, written))
    if not written:
        return "is empty; a number is expected"
    is_plain, grouped = _PLAIN.fullmatch(ascii_text), _GROUPED.fullmatch(ascii_text)
    separator = grouped["separator"] if grouped else ""
    if is_plain and separator == ",":
        whole, decimal = ascii_text.replace(",", ""), ascii_text.replace(",", ".")
        return f"is {quote(written)}, which could be {whole} or {decimal}; write one of these"
    if not is_plain and not grouped:
        kind = "a finite number" if _NOT_FINITE.fullmatch(ascii_text) else "a number"
        return f"is {quote(written)}; {kind} is expected"
    digits = ascii_text if is_plain else ascii_text.replace(separator, "")
    number = float(digits.replace(",", "."))
    if math.isinf(number):
        return f"is {quote(written)}, which is too large; a finite number is expected"
    return number + 0.0  # not -0.0


def read_whole_number(text: str) -> int | str:
    """As `read_number`, for whole numbers of at most MAX_WHOLE, such as 4, -2 and 4.0."""
    number = read_number(text)
    if isinstance(number, str):
        return number
    if not number.is_integer() or abs(number) > MAX_WHOLE:
        bound = f" of at most {MAX_WHOLE}" if number.is_integer() else ""
        return f"is {quote(text.strip())}; a whole number{bound} is expected"
    return int(number)


def _to_ascii(character: str) -> str:
    """A digit of any script, or a minus, in ASCII; other characters as they are."""
    return "-" if character in _MINUS else str(unicodedata.decimal(character, character))
