"""Parts of sentences: numbers, numbers with their nouns, and error messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 candidate`, `2,000 candidates`; the plural is the noun with an s unless given."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def decimal(value: float | None, places: int = 3, sign: str = "") -> str:
    """A number with so many decimals, zero without a minus; "undefined" for None.

    sign: "+" to write that of other numbers than zero.
    """
    if value is None:
        return "undefined"
    text = f"{value:{sign}.{places}f}"
    return text.replace("-", sign, 1) if not float(text) else text


def interval_text(ends: Sequence[float] | None, places: int = 3, sign: str = "") -> str:
    """The ends of an interval, such as `0.412 to 0.567`; empty where there is none."""
    return "" if ends is None else " to ".join(decimal(end, places, sign) for end in ends)


def figure_text(
    value: float | None, ends: Sequence[float] | None, places: int = 3, sign: str = ""
) -> str:
    """A figure with its interval in brackets, if it has one."""
    interval = interval_text(ends, places, sign)
    return decimal(value, places, sign) + (f" ({interval})" if interval else "")


def interval_notes(row: Mapping[str, Any], figure: str = "the figure") -> list[str]:
    """What an interval is made of, about which raters it is, and how many resamples were left out.

    row: of an estimate as JSON; without an interval, why there is none. figure: what is undefined
    in the resamples that were left out.
    """
    if row.get("no_interval"):
        return [f"No interval: {row['no_interval']}."]
    if not row.get("over"):
        return []
    unit, _, raters = row["over"].partition("s and ")
    how = f"{row['draws']:,} resamples of" if row.get("draws") else "over"
    whom = "for other raters of this kind" if raters else "for these raters"
    if row["over"] == "raters":
        whom = "for other raters of this kind on the same documents"
    notes = [f"Intervals: {how} {counted(row['clusters'], unit.removesuffix('s'))}, {whom}."]
    if row.get("undefined"):
        notes.append(f"Left out of them: {row['undefined']:,}, in which {figure} is undefined.")
    return notes


def dollars(cents: int) -> str:
    """An amount of cents, such as "$1,234.50"."""
    return f"${cents / 100:,.2f}"


def to_sentence(message: object) -> str:
    """The message with a capital letter at the start and a full stop at the end."""
    text = str(message)
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")


def rounded_up(number: int) -> int:
    """A number that is an estimate, rounded up to two digits."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // unit) * unit
