"""The values of ratings and scores: numbers, words that a recipe maps to numbers, other words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from concord.formats.collector import RecordCollector
from concord.formats.errors import json_path_part, quote_names
from concord.formats.fields import number_in
from concord.formats.recipes.paths import MISSING, Place
from concord.formats.recipes.recipe import FormatRecipe
from concord.formats.records import WordScale, scale_text
from concord.formats.tables import Unreadable, cell_text
from concord.formats.usual_scales import usual_scale
from concord.formats.value_words import Key, value_key, written
from concord.sentences import counted

Raw = float | str
MAX_KNOWN = 10_000
# The characters of a word; longer texts are comments.
MAX_WORD = 200
# Between the labels that a rater chose together.
SEPARATOR = " | "
MAX_SHOWN_WORDS = 12
MAX_SHOWN_COLUMNS = 6
# Of a scale of points: whole numbers, and as many of them as show that some are missing.
MAX_POINTS, MIN_POINTS = 20, 4


class WordReader:
    """Reads values; counts words that are left out. Words that differ in case only are one.

    scales: of the criteria whose ratings are words. left_out, values_left_out: records, and values
    inside them, by reason. columns_of_words: the columns or members of words that are left out.
    known: what texts that were read are.
    """

    def __init__(self, recipe: FormatRecipe) -> None:
        self.recipe = recipe
        self.words_left_out = 0
        self.left_out: dict[str, int] = {}
        self.values_left_out: dict[str, int] = {}
        self.columns_of_words: set[str] = set()
        self.scales: dict[str, WordScale] = {}
        self.known: dict[Any, Raw | None] = {}
        self._order = {value_key(word): float(at) for at, word in enumerate(recipe.order)}
        self._spellings: dict[Key, str] = {}

    def read(
        self, value: Any, place: Place, collector: RecordCollector, times: int = 1
    ) -> Raw | None:
        """A number, or a word where the recipe numbers words; None where it is missing, left out,
        or a problem. times: how many records have it."""
        if type(value) is str and value in self.known:
            known = self.known[value]
            if known is None:
                collector.report.miss(value.strip(), times)
            return known
        read = self._read(value)
        if isinstance(read, _Refused):
            if self.recipe.others == "leave out" or read.is_no_rating:
                self.words_left_out += times
                names = (place.column, *(one for one in place.marks if isinstance(one, str)))
                if name := next(filter(None, names), ""):
                    self.columns_of_words.add(name)
            else:
                where = place.path or place.column or _column(self.recipe)
                collector.problems.add(place.file, place.line, where or None, read.message)
            return None
        if read is None:
            word = "" if value is MISSING else cell_text(value)
            collector.report.miss((word or "").strip(), times)
        if type(value) is str and len(self.known) < MAX_KNOWN:
            self.known[value] = read
        return read

    def _read(self, value: Any) -> Raw | _Refused | None:
        if value is None or value is MISSING or (type(value) is float and math.isnan(value)):
            return None
        if isinstance(value, Unreadable):
            return _Refused(value.reason)
        if isinstance(value, dict) and (mean := self._expected(value)) is not None:
            return mean
        value = joined(value) if isinstance(value, list) else value
        is_text = isinstance(value, str)
        word = value.strip() if is_text else str(value)
        key = value_key(value)
        if key in self._order:
            return self._spelled(key, word)
        if key in self.recipe.map:
            return self._spelled(key, word) if self.recipe.numbers_words else self.recipe.map[key]
        if key in self.recipe.missing:
            return None
        if type(value) is bool:
            return float(value)
        number = number_in(value)
        if isinstance(number, float):
            return number
        if self.recipe.numbers_words and is_text and len(word) <= MAX_WORD:
            return self._spelled(key, word)
        if self.recipe.numbers_words and isinstance(value, str | dict | list):
            return _Refused(number, is_no_rating=True)
        known = [*self.recipe.order, *map(written, self.recipe.map)]
        if known and is_text:
            return _Refused(f"{number}, or one of {quote_names(known)}")
        return _Refused(number)

    def _expected(self, probabilities: Mapping[str, Any]) -> float | None:
        """The mean of numbers, or of words of the recipe's map, whose probabilities an object has;
        None of another object."""
        mean = total = 0.0
        for word, share in probabilities.items():
            key = value_key(word)
            point = self.recipe.map.get(key, key)
            if isinstance(point, str) or type(share) not in (int, float) or not 0 <= share <= 1:
                return None
            mean, total = mean + point * share, total + share
        return mean / total if abs(total - 1) < 0.02 else None

    def _spelled(self, key: Key, word: str) -> str:
        """A word as it was first written."""
        return self._spellings.setdefault(key, word)

    def report(self, collector: RecordCollector) -> None:
        """Report what was left out."""
        if self.recipe.rows_are_ratings:
            for reason, count in self.left_out.items():
                collector.note(f"Rows left out: {count:,}, {reason}.")
        for reason, count in self.values_left_out.items():
            collector.note(f"Values left out: {count:,}, {reason}.")
        if self.words_left_out:
            names = quote_names(sorted(self.columns_of_words), MAX_SHOWN_COLUMNS)
            where = f", in {names}" if names else ""
            collector.note(f"Values that are no numbers: {self.words_left_out:,}{where}.")

    def comments(self, counts: Mapping[tuple[str, Raw], int]) -> set[tuple[str, Raw]]:
        """The words of (criterion, value) that are comments, not labels; they are counted as left
        out. counts: how often there is each. Words are labels where most values of a criterion are
        words, and each is there twice on average, or there are no more than two."""
        words: dict[str, list[Raw]] = {}
        totals: dict[str, int] = {}
        for (criterion, value), count in counts.items():
            totals[criterion] = totals.get(criterion, 0) + count
            if isinstance(value, str) and value_key(value) not in self.recipe.map:
                words.setdefault(criterion, []).append(value)
        found: set[tuple[str, Raw]] = set()
        for criterion, own in words.items():
            total = sum(counts[criterion, word] for word in own)
            if 2 * total > totals[criterion] and len(own) <= max(2, total // 2):
                continue
            self.words_left_out += total
            self.columns_of_words.add(criterion)
            found |= {(criterion, word) for word in own}
        return found

    def numbers(
        self, values: Iterable[tuple[str, Raw]], collector: RecordCollector
    ) -> dict[tuple[str, Raw], float]:
        """The number of each (criterion, value). Words are numbered from 0: those of a criterion
        that are all in the recipe's order, or on a usual scale, in that order; others, which have
        none, in alphabetical order. Where all are in the recipe's map, they are its numbers."""
        by_criterion: dict[str, dict[Raw, None]] = {}
        for criterion, value in values:
            by_criterion.setdefault(criterion, {})[value] = None
        numbers: dict[tuple[str, Raw], float] = {}
        for criterion, distinct in by_criterion.items():
            words = [one for one in distinct if isinstance(one, str)]
            name = f"Criterion {criterion}" if criterion else "The ratings"
            if all(value_key(word) in self.recipe.map for word in words):
                for one in distinct:
                    number = self.recipe.map[value_key(one)] if isinstance(one, str) else one
                    numbers[criterion, one] = number
                continue
            if all(value_key(one) in self._order for one in distinct):
                self.scales[criterion] = WordScale(self.recipe.order, True)
                numbers |= {(criterion, one): self._order[value_key(one)] for one in distinct}
                continue
            if len(words) == len(distinct) and (usual := usual_scale(words)):
                self.scales[criterion] = usual.scale
                numbers |= {(criterion, one): float(usual.scale.words.index(one)) for one in words}
                collector.note(
                    f"{name}: a usual scale of {usual.name}, with "
                    f"{counted(len(usual.scale.words), 'point')}: {scale_text(usual.scale)}."
                )
                continue
            if any(value_key(one) in self._order for one in distinct):
                others = (str(one) for one in distinct if value_key(one) not in self._order)
                message = f"{name}: {quote_names(sorted(others))} is not in it"
                collector.problems.add("", None, "order", message)
            # Numbers come before words.
            ordered = sorted(distinct, key=lambda one: (isinstance(one, str), one))
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
            collector.note(
                f"{name}: words without an order, by position: {shown}{more}. They have no mean; "
                "their level is nominal; --order says what their order is."
            )
        return numbers


def ids_note(values: Iterable[float]) -> str:
    """A question about values that look like the ids of choices: whole numbers up to MAX_POINTS
    with gaps that begin above 1; "" for others."""
    points = sorted(set(values))
    if len(points) < MIN_POINTS or points[0] < 2 or points[-1] > MAX_POINTS:
        return ""
    if not all(point.is_integer() for point in points) or len(points) > points[-1] - points[0]:
        return ""
    listed = ", ".join(f"{point:g}" for point in points)
    return (
        f"The values found are {listed}: are these the ids of choices? Then give their places in "
        "`map` of a recipe, or export the choices' texts."
    )


def joined(values: list[Any]) -> Any:
    """The value of a list: its only item, or its texts in alphabetical order as one text."""
    if len(values) == 1:
        return values[0]
    texts = [cell_text(one) for one in values]
    known = sorted(text for text in texts if text is not None)
    return SEPARATOR.join(known) if len(known) == len(values) else values


class _Refused:
    """Why a value is none; is_no_rating: words are numbered, but it is an object, or longer."""

    def __init__(self, message: str, *, is_no_rating: bool = False) -> None:
        self.message, self.is_no_rating = message, is_no_rating


def _column(recipe: FormatRecipe) -> str:
    """The name of the column of values, for errors, where there is one."""
    names = [name for rule in recipe.values for name in rule.value.names]
    return names[0] if names else ""
