"""Pairs and choices between their candidates from the records of a recipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from concord.formats.choices import BOTH_BAD, ChoiceAnswer, as_choice
from concord.formats.collector import RecordCollector
from concord.formats.errors import quote, quote_names
from concord.formats.fields import number_in, pair_fault, scale_fault
from concord.formats.files import SourceFile
from concord.formats.instances import instance_key, pair_key
from concord.formats.options import ReadOptions
from concord.formats.recipes.instances import InstanceReader, left_out_reason
from concord.formats.recipes.paths import MISSING, Place
from concord.formats.recipes.patterns import matches_any
from concord.formats.recipes.recipe import FormatRecipe, Values
from concord.formats.recipes.records import RecordFile
from concord.formats.records import Choice, ChoiceRecord, InstanceRecord, PairRecord
from concord.formats.sides import usual_choice
from concord.formats.tables import cell_text
from concord.formats.value_words import value_key, written

_SWAPPED: dict[Choice, Choice] = {1: 2, 2: 1, "tie": "tie"}
Side = tuple[str, str, str]


@dataclass(slots=True)
class _PairDraft:
    """A pair while its records are read. sides: the text, system and id of both candidates."""

    key: str
    instance: InstanceRecord
    sides: tuple[Side, Side]
    position: Place
    scores: tuple[float | None, float | None] = (None, None)
    records: int = 0
    choices: dict[tuple[str, str], ChoiceRecord] = field(default_factory=dict)


def read_pairs(
    recipe: FormatRecipe,
    collector: RecordCollector,
    files: Sequence[SourceFile],
    options: ReadOptions,
) -> None:
    """Read the pairs of files as a recipe says; choices on the same two candidates of an instance
    make one pair, whichever is the first."""
    reader = _Pairs(recipe, collector, options)
    for file in files:
        reader.read(RecordFile(file, recipe, collector, options))
    reader.finish()


class _Pairs:
    def __init__(
        self, recipe: FormatRecipe, collector: RecordCollector, options: ReadOptions
    ) -> None:
        self.recipe, self.collector, self.options = recipe, collector, options
        self.drafts: dict[Any, _PairDraft] = {}
        self.records = self.replaced = 0
        self.left_out: dict[str, int] = {}
        self.words_left_out: dict[str, int] = {}
        collector.scale = recipe.scale.ends if recipe.scale else None

    def read(self, file: RecordFile) -> None:
        self.instances = InstanceReader(file, self.options)
        self.prefix = file.row_prefix
        for place in file.places():
            self.records += 1
            if self.records > self.collector.limits.max_rows:
                message = f"more than {self.collector.limits.max_rows:,} rows; split the file"
                raise self.collector.problems.fatal(place.file, place.line, None, message)
            if reason := left_out_reason(self.recipe, place):
                self.left_out[reason] = self.left_out.get(reason, 0) + 1
                continue
            needs_value = self.instances.needs_value
            found = None if needs_value else self._draft(place)
            if found is None and not needs_value:
                continue
            for at, rule in enumerate(self.recipe.choices):
                for one in file.values_of(place, rule, at):
                    if rule.path:
                        file.see(one, len(place.scopes))
                    own = self._draft(one) if needs_value else found
                    if own is not None:
                        self._add_choice(*own, rule, one)
        file.report()

    def _draft(self, place: Place) -> tuple[_PairDraft, bool] | None:
        """The pair of a record, and whether its candidates are in the other order there; None with
        a problem."""
        before, read = self.collector.problems.total, self.instances
        first, second = (
            (
                read.text(f"candidate{number}", place),
                read.short(f"system{number}", place),
                read.short(f"id{number}", place),
            )
            for number in (1, 2)
        )
        key = read.short("id", place)
        texts = "\n".join(sorted((first[0], second[0]))).strip()
        # Without a question, the answers to it are of an instance of their own.
        own = key or (instance_key("", texts, ()) if texts else f"{self.prefix}row-{self.records}")
        instance = read.instance(place, read.conversation(place), lambda: own)
        if instance is None or self.collector.problems.total > before:
            return None
        scores = self._scores(place)
        if self.collector.problems.total > before:
            return None
        systems = "/".join((first[1], second[1])).strip("/")
        draft = _PairDraft(key or pair_key(instance, first[0], second[0], systems), instance,
                       (first, second), place, scores)  # fmt: skip
        is_grouped = self.recipe.rows_are_ratings
        group = (key, instance.key, *sorted((first, second))) if is_grouped else len(self.drafts)
        draft = self.drafts.setdefault(group, draft)
        draft.records += 1
        place.nth = draft.records
        return draft, draft.sides[0] != first

    def _scores(self, place: Place) -> tuple[float | None, float | None]:
        """The scores of a minimal pair, the first of which is above the second."""
        sources = [self.instances.sources.get(f"score{number}") for number in (1, 2)]
        if not all(sources):
            return None, None
        scores: list[float] = []
        for number, source in enumerate(filter(None, sources), start=1):
            value = number_in(None if (one := source.get(place)) is MISSING else one)
            scale = self.collector.scale
            fault = value if isinstance(value, str) else scale and scale_fault(value, scale)
            if fault or isinstance(value, str):
                self.instances.fault(place, f"score{number}", fault or "")
            else:
                scores.append(value)
        if len(scores) < 2:
            return None, None
        first, second = scores
        if fault := pair_fault(first, second):
            self.instances.fault(place, "score1", fault)
        return first, second

    def _add_choice(self, draft: _PairDraft, is_swapped: bool, rule: Values, place: Place) -> None:
        sides = draft.sides[::-1] if is_swapped else draft.sides
        raw = rule.value.get(place) if rule.rank is None else place.value
        answer = self._choice(raw, place, (sides[0][1], sides[1][1]))
        if answer is None:
            return
        choice = as_choice(answer)
        names = {which: self.instances.name(source, place, which)
                 for which, source in rule.sources.items() if which != "value"}  # fmt: skip
        worker, group = names.get("rater", ""), names.get("group of raters", "")
        shown = names.get("first shown", "")
        if shown not in ("", "1", "2"):
            self._fault(place, f"the candidate shown first is {quote(shown)}; 1 or 2 is expected")
            return
        if not worker:
            self._fault(place, "has no name of a rater")
            return
        first_shown = int(shown) if shown else None
        if is_swapped:
            choice = _SWAPPED[choice]
            first_shown = None if first_shown is None else 3 - first_shown
        if (worker, group) in draft.choices:
            self.replaced += 1
            if self.recipe.repeated == "error":
                self._fault(place, f"{quote(worker)} chooses twice between these two candidates")
        is_hard = matches_any(self.recipe.hard, names.get("hard", ""))
        draft.choices[worker, group] = ChoiceRecord(
            worker, choice, first_shown, group, is_hard=is_hard, is_both_bad=answer == BOTH_BAD
        )

    def _choice(self, value: Any, place: Place, systems: tuple[str, str]) -> ChoiceAnswer | None:
        """The choice that a value is; None where it is missing, or a problem. A recipe without
        words takes usual ones, and the names of both systems."""
        recipe = self.recipe
        text = cell_text(None if value is MISSING else value)
        word = value_key(text or "")
        if word in recipe.first:
            return 1
        if word in recipe.second:
            return 2
        if word in recipe.tie:
            return "tie"
        if word in recipe.both_bad:
            return BOTH_BAD
        if word in recipe.missing and text is not None:
            self.collector.report.miss(text.strip())
            return None
        if recipe.middle is not None and isinstance(number := number_in(value), float):
            return "tie" if number == recipe.middle else 1 if number < recipe.middle else 2
        known = recipe.first | recipe.second | recipe.tie | recipe.both_bad
        if not known and recipe.middle is None and text:
            if systems[0] != systems[1] and text.strip() in systems:
                return 1 if text.strip() == systems[0] else 2
            if (usual := usual_choice(text)) is not None:
                return usual
            known = frozenset({*filter(None, systems), "a", "b", "tie"})
        if recipe.others == "leave out" and text is not None:
            self.words_left_out[text] = self.words_left_out.get(text, 0) + 1
            return None
        words = sorted(map(written, known))
        message = f"{' or '.join(words)} is expected, not {quote(str(text or value), 40)}"
        self._fault(place, message)
        return None

    def _fault(self, place: Place, message: str) -> None:
        rules = self.recipe.choices
        names = [name for rule in rules if not rule.columns for name in rule.value.names]
        path = ".".join(part for part in (place.path, *names[:1]) if part)
        self.collector.problems.add(place.file, place.line, path or None, message)

    def finish(self) -> None:
        """Add the pairs."""
        collector = self.collector
        for draft in self.drafts.values():
            collector.count_row(draft.position.file, draft.position.line)
            (text1, system1, id1), (text2, system2, id2) = draft.sides
            pair = PairRecord(draft.key, draft.instance, text1, draft.scores[0], text2,
                              draft.scores[1],
                              systems=(system1, system2), candidate_keys=(id1, id2),
                              choices=tuple(draft.choices.values()))  # fmt: skip
            collector.add_pair(pair, draft.position.file, draft.position.line, "id")
        kept = (one for draft in self.drafts.values() for one in draft.choices.values())
        if both_bad := sum(one.is_both_bad for one in kept):
            collector.note(f"Ties whose rater said that both answers are bad: {both_bad:,}.")
        if self.replaced and self.recipe.repeated == "last":
            collector.note(f"Earlier choices that the same rater replaced: {self.replaced:,}.")
        if self.words_left_out:
            count = sum(self.words_left_out.values())
            words = quote_names(sorted(self.words_left_out))
            collector.note(f"Values that are no choice: {count:,}, {words}.")
        for reason, count in self.left_out.items():
            collector.note(f"Rows left out: {count:,}, {reason}.")
        for note in self.recipe.notes:
            collector.note(note)
