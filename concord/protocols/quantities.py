"""Numbers and numbers with a unit, as short answers give them. Pure: no Django."""

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

    With `units`, a number may be followed by a unit; two units must be the same, in the singular
    or the plural, so that "2 dogs" and "2 cats" are not compared as numbers.
    """
    pattern = WITH_UNIT if units else BARE
    found = [pattern.fullmatch(text.strip()) for text in (first, second)]
    if found[0] is None or found[1] is None:
        return False
    if not units:
        return True
    named = {unit for one in found if one and (unit := _unit(one["unit"]))}
    return len(named) <= 1


def _unit(words: str | None) -> str:
    """The unit in lower case and in the singular; "" without one."""
    return " ".join(
        word.removesuffix("s") for word in re.split(r"[\s-]+", (words or "").casefold()) if word
    )
