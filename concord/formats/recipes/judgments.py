"""Candidates, ratings, scores and marked errors from the records of a recipe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from concord.formats.collector import RecordCollector, Scale
from concord.formats.errors import FormatError, quote
from concord.formats.files import SourceFile
from concord.formats.options import ReadOptions
from concord.formats.recipes.candidate_records import CandidateRecords
from concord.formats.recipes.candidates import CandidateDraft, CandidateReader
from concord.formats.recipes.instances import (
    InstanceReader,
    left_out_reason,
)
from concord.formats.recipes.numbers import Raw, WordReader, joined
from concord.formats.recipes.paths import MISSING, Place
from concord.formats.recipes.ratings import GivenRatings, RaterKey
from concord.formats.recipes.recipe import FormatRecipe, MarkedErrors, Values
from concord.formats.recipes.records import RecordFile
from concord.formats.recipes.rows import (
    CellRows,
    PlaceRows,
    Rows,
    concatenated,
    each_at,
    rows_of,
)
from concord.formats.recipes.spans import spans_of
from concord.formats.records import CandidateRecord, Span
from concord.formats.tables import Codes


@dataclass(frozen=True)
class _Ratings:
    """Ratings that a rule found in rows: of each the numbers of candidate, rater and value."""

    rule: Values
    rows: Rows
    drafts: Codes
    raters: Codes
    values: Codes

    def at(self, positions: Codes) -> _Ratings:
        """Some of them."""
        return _Ratings(self.rule, self.rows.at(positions), self.drafts[positions],
                        self.raters[positions], self.values[positions])  # fmt: skip


class _FaultsError(Exception):
    """What is read has a fault, which another read names in every row that has it."""


def read_judgments(
    parts: Sequence[tuple[FormatRecipe, Sequence[SourceFile]]],
    collector: RecordCollector,
    options: ReadOptions,
    texts: Mapping[str, CandidateRecord] | None = None,
) -> None:
    """Read the candidates of files as recipes say. texts: of candidates by their ids, for files
    without.

    The first read takes rows that are alike once. Where anything is wrong, the files are read
    again, each row for itself.
    """
    with suppress(FormatError, _FaultsError):
        _read(parts, collector, options, texts, names_faults=False)
        if not collector.problems.total:
            return
    collector.restart()
    _read(parts, collector, options, texts, names_faults=True)


def _read(
    parts: Sequence[tuple[FormatRecipe, Sequence[SourceFile]]],
    collector: RecordCollector,
    options: ReadOptions,
    texts: Mapping[str, CandidateRecord] | None,
    *,
    names_faults: bool,
) -> None:
    for recipe, files in parts:
        reader = _JudgmentReader(recipe, collector, options, texts, names_faults)
        for file in files:
            reader.read(file)
        reader.finish()


class _JudgmentReader:
    """Reads candidates and their judgments. records: how many were read."""

    def __init__(
        self,
        recipe: FormatRecipe,
        collector: RecordCollector,
        options: ReadOptions,
        texts: Mapping[str, CandidateRecord] | None,
        names_faults: bool,
    ) -> None:
        if options.order:
            recipe = replace(recipe, order=options.order)
        self.recipe, self.collector, self.options = recipe, collector, options
        self.names_faults = names_faults
        self.candidates = CandidateReader(recipe, options, texts)
        self.values = WordReader(recipe)
        self.given = GivenRatings()
        self.scales: dict[str, Scale] = {}
        self.criteria: dict[str, None] = {}
        self.records = 0
        self._rated: set[tuple[int, int]] = set()

    def read(self, source: SourceFile) -> None:
        """Read a file."""
        problems = self.collector.problems
        problems.begin_rows()
        file = RecordFile(source, self.recipe, self.collector, self.options,
                          names_faults=self.names_faults)  # fmt: skip
        self.instances = InstanceReader(file, self.options)
        self.candidates.begin(self.instances)
        rules = (*self.recipe.ratings, *self.recipe.scores, *self.recipe.texts)
        self.rules = [rule.bound(file.bound) for rule in rules]
        for rows in rows_of(file, self.rules):
            self._read_rows(rows)
            self._stop_at_faults()
            problems.end_rows()
            problems.begin_rows()
        problems.end_rows()
        if self.options.systems:
            self.candidates.name_systems(self.options.systems, source.name)
            self._stop_at_faults()
        file.report()
        self.scales |= file.scales

    def _stop_at_faults(self) -> None:
        if self.collector.problems.total and not self.names_faults:
            raise _FaultsError

    def _read_rows(self, rows: Rows) -> None:
        """Read rows rule by rule. Without a rule, each is a candidate without a judgment."""
        rows = self._without_left_out(self._counted(rows))
        of_value = self.instances.needs_value
        drafts = None if of_value else self.candidates.read(rows)
        if drafts is not None:
            self._stop_at_faults()
            self._add_to_candidates(rows, drafts)
        parts = [(at, part) for at, rule in enumerate(self.rules)
                 for part in self._values_of(rows, rule, at)]  # fmt: skip
        if not parts:
            return
        if drafts is None:
            merged, where = concatenated([part for _, part in parts if isinstance(part, PlaceRows)])
            of_merged = self.candidates.read(merged)
            of_parts = [of_merged[one] for one in where]
        else:
            of_parts = [drafts[np.searchsorted(rows.numbers, part.numbers)] for _, part in parts]
        read = []
        scored: dict[str, int] = {}
        for (at, part), of_part in zip(parts, of_parts, strict=True):
            if at >= len(self.recipe.ratings) + len(self.recipe.scores):  # a column of candidates
                for place in part.places(each_at(part)):
                    self.collector.count_row(place.file, place.line)
                continue
            if at < len(self.recipe.ratings):
                read.append(self._ratings(part, of_part, self.rules[at]))
            else:
                scored |= {
                    name: at
                    for name, at in self._add_scores(part, of_part, self.rules[at]).items()
                    if at < scored.get(name, at + 1)
                }
        if read:
            self._add_ratings(read)
        self.criteria |= dict.fromkeys(sorted(scored, key=scored.__getitem__))

    def _counted(self, rows: Rows) -> Rows:
        """The rows, which are counted."""
        limit = self.collector.limits.max_rows
        if not self.recipe.rows_are_ratings:
            count = 0 if self.recipe.texts else 1
            for place in rows.places(each_at(rows), ()):
                self.collector.count_row(place.file, place.line, count)
        elif self.records + rows.size > limit:
            (place,) = rows.places(np.array([limit - self.records]), ())
            message = f"more than {limit:,} rows; split the file"
            raise self.collector.problems.fatal(place.file, place.line, None, message)
        self.records += rows.size
        return rows

    def _without_left_out(self, rows: Rows, *, are_values: bool = False) -> Rows:
        """The rows that no rule of the recipe leaves out."""
        if not self.recipe.leave_out:
            return rows
        sources = [rule.source for rule in self.recipe.leave_out]
        codes, first = rows.distinct(sources)
        counts = np.bincount(codes, minlength=len(first)).tolist()
        is_read = []
        for place, times in zip(rows.places(first, sources), counts, strict=True):
            reason = left_out_reason(self.recipe, place)
            is_read.append(not reason)
            if reason:
                if not self.recipe.rows_are_ratings and not are_values:
                    self.collector.leave_out(reason, times)
                counted = self.values.values_left_out if are_values else self.values.left_out
                counted[reason] = counted.get(reason, 0) + times
        return rows.at(np.flatnonzero(np.array(is_read, bool)[codes]))

    def _values_of(self, rows: Rows, rule: Values, at: int) -> Iterator[Rows]:
        """The values that a rule has in rows: of a table those of each column; of records all."""
        file = self.instances.file
        if isinstance(rows, CellRows):
            blank = file.place(dict.fromkeys(file.header, ""))
            yield from (replace(rows, cell=cell) for cell in file.values_of(blank, rule, at))
            return
        values, numbers = [], []
        for number, place in zip(rows.numbers.tolist(), rows.records, strict=True):
            self.collector.problems.row = number
            for one in file.values_of(place, rule, at):
                if rule.path and not rule.columns:
                    file.see(one, len(place.scopes))
                values.append(one)
                numbers.append(number)
        part = PlaceRows(file, values, np.array(numbers, np.int64))
        yield self._without_left_out(part, are_values=True) if rule.path else part

    def _add_to_candidates(self, rows: Rows, drafts: Codes) -> None:
        """Count the records of candidates, and read the spans that raters marked in them."""
        if isinstance(rows, CellRows):
            return
        for place, number in zip(rows.places(each_at(rows)), drafts.tolist(), strict=True):
            place.nth = 1
            if number < 0:
                continue
            draft = self.candidates.drafts[number]
            draft.records += 1
            place.nth = draft.records
            if self.recipe.marks is not None:
                self._mark(place, draft, self.recipe.marks)

    def _ratings(self, rows: Rows, drafts: Codes, rule: Values) -> _Ratings:
        """The ratings that a rule reads in rows, without those that are missing."""
        codes, first = rows.distinct([rule.value], of_names=True)
        counts = np.bincount(codes, minlength=len(first)).tolist()
        read = []
        for place, times in zip(rows.places(first, [rule.value]), counts, strict=True):
            value = self._value(rule, place, times)
            read.append(-1 if value is None else self.given.value(value))
        values = np.array(read, np.int64)[codes]
        is_given = values >= 0
        if not is_given.all():  # who gave no rating need not have a name
            rows = rows.at(np.flatnonzero(is_given))
            drafts, values = drafts[is_given], values[is_given]
        others = [one for name, one in rule.sources.items() if name != "value"]
        codes, first = rows.distinct(others)
        keys = [self._rater(rule, place) for place in rows.places(first, others)]
        raters = np.array([-1 if key is None else self.given.rater(key) for key in keys], np.int64)
        ratings = _Ratings(rule, rows, drafts, raters[codes], values)
        is_read = (ratings.raters >= 0) & (ratings.drafts >= 0)
        if not is_read.all():
            ratings = ratings.at(np.flatnonzero(is_read))
        return self._chosen_together(ratings) if rule.only else ratings

    def _chosen_together(self, ratings: _Ratings) -> _Ratings:
        """The ratings, where the values that a rater chose together in a record are one."""
        together: dict[tuple[int, int, int], list[int]] = {}
        columns = (ratings.rows.numbers, ratings.drafts, ratings.raters)
        every = zip(*(one.tolist() for one in columns), strict=True)
        for at, key in enumerate(every):
            together.setdefault(key, []).append(at)
        known, codes = self.given.values, ratings.values.tolist()
        values = [self.given.value(joined([known[codes[at]] for at in positions]))
                  for positions in together.values()]  # fmt: skip
        first = np.array([positions[0] for positions in together.values()], np.int64)
        return replace(ratings.at(first), values=np.array(values, np.int64))

    def _add_ratings(self, parts: Sequence[_Ratings]) -> None:
        """Add ratings in the order of their records."""
        numbers = np.concatenate([part.rows.numbers for part in parts])
        drafts, raters, values = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("drafts", "raters", "values")
        )
        if len(parts) > 1:
            order = np.argsort(numbers, kind="stable")
            drafts, raters, values = drafts[order], raters[order], values[order]
        self.given.add((drafts, raters, values))
        self.criteria |= self.given.criteria(raters)
        if self.names_faults and self.recipe.repeated == "error":
            for part in parts:
                self._name_repeated(part)

    def _name_repeated(self, part: _Ratings) -> None:
        """Name the ratings of candidates that their raters gave earlier, too."""
        keys = self.given.raters
        pairs = zip(part.drafts.tolist(), part.raters.tolist(), strict=True)
        for place, key in zip(part.rows.places(each_at(part.rows)), pairs, strict=True):
            if key in self._rated:
                criterion, worker, _ = keys[key[1]]
                what = f" on {quote(criterion)}" if criterion else ""
                self._fault(place, f"{quote(worker)} rates this candidate{what} twice", part.rule)
            self._rated.add(key)

    def _add_scores(self, rows: Rows, drafts: Codes, rule: Values) -> dict[str, int]:
        """Add the scores of rows. Returns the first record of each criterion."""
        first: dict[str, int] = {}
        for place, number in zip(rows.places(each_at(rows)), drafts.tolist(), strict=True):
            if (value := self._value(rule, place)) is None:
                continue
            criterion = self._criterion(rule, place)
            first.setdefault(criterion, self.collector.problems.row)
            scores = self.candidates.drafts[number].scores if number >= 0 else {}
            if scores.setdefault(criterion, value) != value:
                message = f"is {quote(str(value))}, but an earlier score is another"
                self._fault(place, message, rule)
        return first

    def _value(self, rule: Values, place: Place, times: int = 1) -> Raw | None:
        """The rating or score of a value of a record; None without one, or with a problem. times:
        how many such values there are."""
        raw = rule.value.get(place)
        if raw is MISSING and not rule.value.is_optional:
            self._fault(place, "is missing", rule)
        return self.values.read(raw, place, self.collector, times)

    def _rater(self, rule: Values, place: Place) -> RaterKey | None:
        """The criterion, the rater and the group of a rating; None with a problem."""
        criterion = self._criterion(rule, place)
        if rule.worker is None or not (worker := self.instances.name(rule.worker, place, "rater")):
            self._fault(place, "has no name of a rater", rule)
            return None
        group = ""
        if rule.group is not None:
            group = self.instances.name(rule.group, place, "group of raters")
        if rule.worker.is_position(place):
            self.collector.note(
                "The file does not name raters: rater 1 is the first rating of a candidate, not a "
                "person."
            )
        return criterion, worker, group

    def _criterion(self, rule: Values, place: Place) -> str:
        source = rule.criterion
        return "" if source is None else self.instances.name(source, place, "criterion")

    def _mark(self, place: Place, draft: CandidateDraft, marks: MarkedErrors) -> None:
        found: dict[str, list[Span]] = {}
        spans = list(spans_of(marks, place, draft.text, self.instances.name_of, self._fault))
        if not marks.path or marks.worker.get(place) is not MISSING:
            found[self.instances.name(marks.worker, place, "rater")] = [one for _, one in spans]
        else:  # each names its rater
            for one, span in spans:
                found.setdefault(self.instances.name(marks.worker, one, "rater"), []).append(span)
        for worker, own in found.items():  # with a path all of the rater's, the last time
            draft.marks[worker] = own if marks.path else [*draft.marks.get(worker, ()), *own]

    def _fault(self, place: Place, message: str, rule: Values | None = None) -> None:
        """Add a problem of a record, or of the value that a rule has there."""
        name = "" if rule is None or place.column else ".".join(rule.value.names[:1])
        path = ".".join(part for part in (place.path, name) if part)
        self.collector.problems.add(place.file, place.line, path or None, message)

    def finish(self) -> None:
        """Add the candidates."""
        if self.given.count_repeated() and self.recipe.repeated == "error":
            if not self.names_faults:
                raise _FaultsError
            self.collector.problems.raise_if_any()
        records = CandidateRecords(self.recipe, self.collector, self.options, self.values,
                                   self.given, self.scales, self.criteria)  # fmt: skip
        records.add(self.candidates.drafts)
