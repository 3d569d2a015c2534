"""The values of ratings and scores: numbers, words that a recipe maps to numbers, other words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from concord.formats.collector import RecordCollector
from concord.formats.errors import json_path_part, quote_names
from concord.formats.fields import number_in
from concord.formats.recipes.paths import MISSING, Place
from concord.formats.recipes.recipe import FormatRecipe
from concord.formats.records import WordScale
from concord.formats.tables import Unreadable, cell_text

Raw = float | str
MAX_KNOWN = 10_000
MAX_SHOWN_WORDS = 12


class WordReader:
    """Reads values; counts those that are missing, and words that are left out.

    scales: of the criteria whose ratings are words. left_out: records by reason. known: what texts
    that were read are.
    """

    def __init__(self, recipe: FormatRecipe) -> None:
        self.recipe = recipe
        self.missing = self.words_left_out = 0
        self.left_out: dict[str, int] = {}
        self.scales: dict[str, WordScale] = {}
        self.known: dict[Any, Raw | None] = {}
        self._order = {word.casefold(): float(at) for at, word in enumerate(recipe.order)}

    def read(
        self, value: Any, place: Place, collector: RecordCollector, times: int = 1
    ) -> Raw | None:
        """A number, or a word where the recipe numbers words; None where it is missing, left out,
        or a problem. times: how many records have it."""
        if type(value) is str and value in self.known:
            known = self.known[value]
            if known is None:
                self.missing += times
            return known
        read = self._read(value)
        if isinstance(read, _Refused):
            if self.recipe.others == "leave out":
                self.words_left_out += times
            else:
                where = place.path or place.column or _column(self.recipe)
                collector.problems.add(place.file, place.line, where or None, read.message)
            return None
        if read is None:
            self.missing += times
        if type(value) is str and len(self.known) < MAX_KNOWN:
            self.known[value] = read
        return read

    def _read(self, value: Any) -> Raw | _Refused | None:
        if value is None or value is MISSING or (type(value) is float and math.isnan(value)):
            return None
        if isinstance(value, Unreadable):
            return _Refused(value.reason)
        is_text = isinstance(value, str)
        word = value.strip() if is_text else str(value)
        if word.casefold() in self.recipe.missing:
            return None
        if word.casefold() in self._order:
            return word
        if word.casefold() in self.recipe.map:
            return word if self.recipe.others == "number" else self.recipe.map[word.casefold()]
        if type(value) is bool:
            return float(value)
        number = number_in(value)
        if isinstance(number, float):
            return number
        if self.recipe.others == "number" and is_text and len(word) <= 200:
            return word
        if (known := [*self.recipe.order, *self.recipe.map]) and is_text:
            return _Refused(f"{number}, or one of {quote_names(known)}")
        return _Refused(number)

    def numbers(
        self, values: Iterable[tuple[str, Raw]], collector: RecordCollector
    ) -> dict[tuple[str, Raw], float]:
        """The number of each (criterion, value). Words are numbered from 0: those of a criterion
        that are all in the recipe's order in that order, others, which have none, in alphabetical
        order; where all are in the recipe's map, they are its numbers."""
        by_criterion: dict[str, dict[Raw, None]] = {}
        for criterion, value in values:
            by_criterion.setdefault(criterion, {})[value] = None
        numbers: dict[tuple[str, Raw], float] = {}
        for criterion, distinct in by_criterion.items():
            words = [one for one in distinct if isinstance(one, str)]
            if all(word.casefold() in self.recipe.map for word in words):
                for one in distinct:
                    number = self.recipe.map[one.casefold()] if isinstance(one, str) else one
                    numbers[criterion, one] = number
                continue
            if all(isinstance(one, str) and one.casefold() in self._order for one in distinct):
                self.scales[criterion] = WordScale(self.recipe.order, True)
                numbers |= {(criterion, one): self._order[str(one).casefold()] for one in distinct}
                continue
            ordered = sorted(distinct, key=str)
            texts = [cell_text(one) or str(one) for one in ordered]
            self.scales[criterion] = WordScale(texts, False)
            numbers |= {(criterion, one): float(code) for code, one in enumerate(ordered)}
            shown = ", ".join(f"{json_path_part(text)} is {code}"
                              for code, text in enumerate(texts[:MAX_SHOWN_WORDS]))  # fmt: skip
            more = (
                f" and {len(ordered) - MAX_SHOWN_WORDS:,} more"
                if len(ordered) > MAX_SHOWN_WORDS
                else ""
            )
            name = f"Criterion {criterion}" if criterion else "The ratings"
            collector.note(
                f"{name}: words without an order, by position: {shown}{more}. They have no mean; "
                "their level is nominal."
            )
        return numbers


class _Refused:
    def __init__(self, message: str) -> None:
        self.message = message


def _column(recipe: FormatRecipe) -> str:
    """The name of the column of values, for errors, where there is one."""
    names = [name for rule in recipe.values for name in rule.value.names]
    return names[0] if names else ""
