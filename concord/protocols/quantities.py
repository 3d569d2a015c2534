"""Numbers, with or without a unit, in short answers."""

from __future__ import annotations

import re

NUMBER = r"[-+]?[$£€]?\d[\d,]*(?:\.\d+)?%?"
MAGNITUDE = r"(?:[\s-]+(?:hundred|thousand|million|billion|trillion))?"
WORD = r"[^\W\d_]+"
BARE = re.compile(NUMBER)
# A number, and up to two words of a unit: "24 yards", "24-yard", "3.5 million square miles".
WITH_UNIT = re.compile(
    rf"{NUMBER}{MAGNITUDE}(?:[\s-]+(?P<unit>{WORD}(?:[\s-]+{WORD})?))?", re.IGNORECASE
)


def both_numbers(first: str, second: str, *, units: bool = False) -> bool:
    """Whether both texts are numbers (MOCHA, Section 2.2), ignoring outer white space.

    With `units` a number may have a unit. Two units must be the same, in singular or plural, so
    that "2 dogs" and "2 cats" do not count as numbers.
    """
    pattern = WITH_UNIT if units else BARE
    matches = [pattern.fullmatch(text.strip()) for text in (first, second)]
    if matches[0] is None or matches[1] is None:
        return False
    if not units:
        return True
    unit_names = {unit for match in matches if match and (unit := _unit(match["unit"]))}
    return len(unit_names) <= 1


def _unit(words: str | None) -> str:
    """The unit in lower case and in the singular; "" without one."""
    return " ".join(
        word.removesuffix("s") for word in re.split(r"[\s-]+", (words or "").casefold()) if word
    )
