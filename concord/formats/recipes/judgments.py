"""Candidates, ratings, scores and marked errors from the records of a recipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from concord.documents.conversation import Conversation
from concord.formats.collector import RecordCollector, Scale
from concord.formats.errors import FormatError, quote, quote_names
from concord.formats.fields import scale_fault
from concord.formats.files import SourceFile
from concord.formats.instances import instance_key
from concord.formats.limits import MAX_MAGNITUDE
from concord.formats.options import ReadOptions
from concord.formats.recipes.instances import (
    CANDIDATE_NAMES,
    InstanceReader,
    left_out_reason,
)
from concord.formats.recipes.numbers import Raw, WordReader, ids_note, joined
from concord.formats.recipes.paths import MISSING, FieldSource, Place, column_of
from concord.formats.recipes.ratings import NO_RATINGS, GivenRatings, RaterKey, Ratings
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
from concord.formats.records import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    KeyRecord,
    MarksRecord,
    Span,
    has_mean,
    own_or_mean,
)
from concord.formats.tables import Codes


@dataclass(slots=True)
class _CandidateDraft:
    """A candidate while its records are read. position: of its first record. number: among the
    candidates. records: how many it has."""

    key: str
    instance: InstanceRecord
    text: str
    system: str
    position: Place
    number: int = 0
    records: int = 0
    scores: dict[str, Raw] = field(default_factory=dict)
    marks: dict[str, list[Span]] = field(default_factory=dict)
    test_key: KeyRecord | None = None


@dataclass(frozen=True)
class _Found:
    """Ratings that a rule found in rows: of each the numbers of candidate, rater and value."""

    rule: Values
    rows: Rows
    drafts: Codes
    raters: Codes
    values: Codes

    def at(self, positions: Codes) -> _Found:
        """Some of them."""
        return _Found(self.rule, self.rows.at(positions), self.drafts[positions],
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
    """Reads candidates and their judgments. numbers: how many records of the file were read."""

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
        self.recipe, self.collector, self.options, self.texts = recipe, collector, options, texts
        self.names_faults = names_faults
        self.values = WordReader(recipe)
        self.given = GivenRatings()
        self.drafts: list[_CandidateDraft] = []
        self.scales: dict[str, Scale] = {}
        self.criteria: dict[str, None] = {}
        self.records = 0
        self._by_key: dict[str, _CandidateDraft] = {}
        self._by_texts: dict[Any, _CandidateDraft] = {}
        self._rated: set[tuple[int, int]] = set()

    def read(self, source: SourceFile) -> None:
        """Read a file."""
        problems = self.collector.problems
        problems.begin_rows()
        file = RecordFile(source, self.recipe, self.collector, self.options.sheet,
                          names_faults=self.names_faults)  # fmt: skip
        self.instances = InstanceReader(file, self.options)
        self._position = file.place({}) if file.is_table else None  # of all, without their lines
        rules = (*self.recipe.ratings, *self.recipe.scores, *self.recipe.texts)
        self.rules = [rule.bound(file.bound) for rule in rules]
        for rows in rows_of(file, self.rules):
            self._read_rows(rows)
            self._stop_at_faults()
            problems.end_rows()
            problems.begin_rows()
        problems.end_rows()
        file.report()
        self.scales |= file.scales

    def _stop_at_faults(self) -> None:
        if self.collector.problems.total and not self.names_faults:
            raise _FaultsError

    def _read_rows(self, rows: Rows) -> None:
        """Read rows rule by rule. Without a rule, each is a candidate without a judgment."""
        rows = self._without_left_out(self._counted(rows))
        of_value = self.instances.needs_value
        drafts = None if of_value else self._drafts(rows)
        if drafts is not None:
            self._stop_at_faults()
            self._add_to_candidates(rows, drafts)
        parts = [(at, part) for at, rule in enumerate(self.rules)
                 for part in self._values_of(rows, rule, at)]  # fmt: skip
        if not parts:
            return
        if drafts is None:
            merged, where = concatenated([part for _, part in parts if isinstance(part, PlaceRows)])
            of_merged = self._drafts(merged)
            of_parts = [of_merged[one] for one in where]
        else:
            of_parts = [drafts[np.searchsorted(rows.numbers, part.numbers)] for _, part in parts]
        found = []
        scored: dict[str, int] = {}
        for (at, part), of_part in zip(parts, of_parts, strict=True):
            if at >= len(self.recipe.ratings) + len(self.recipe.scores):  # a column of candidates
                for place in part.places(each_at(part)):
                    self.collector.count_row(place.file, place.line)
                continue
            if at < len(self.recipe.ratings):
                found.append(self._ratings(part, of_part, self.rules[at]))
            else:
                scored |= {
                    name: at
                    for name, at in self._add_scores(part, of_part, self.rules[at]).items()
                    if at < scored.get(name, at + 1)
                }
        if found:
            self._add_ratings(found)
        self.criteria |= dict.fromkeys(sorted(scored, key=scored.__getitem__))

    def _places(self, rows: Rows, positions: Codes, sources: Sequence[FieldSource] | None = None
                ) -> Iterator[Place]:  # fmt: skip
        """The rows at these positions, whose faults are theirs."""
        problems, numbers = self.collector.problems, rows.numbers[positions].tolist()
        for problems.row, place in zip(numbers, rows.places(positions, sources), strict=True):
            yield place
        problems.row = 0

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
        for place, times in zip(self._places(rows, first, sources), counts, strict=True):
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

    def _drafts(self, rows: Rows) -> Codes:
        """The number of the candidate of each row; -1 for those with a problem, whose values are
        read for theirs."""
        read, recipe = self.instances, self.recipe
        if recipe.rows_are_ratings:
            sources = [*read.sources.values()]
            sources += [recipe.messages.source] if recipe.messages else []
            codes, first = rows.distinct(sources)
        else:
            codes = first = each_at(rows)
        rows = rows.at(first)
        conversations: Sequence[Conversation | None] = [None] * rows.size
        if recipe.messages is None:
            texts = self._texts(rows, "candidate", read.text, read.are_texts)
        else:
            answered = [read.answered(place) for place in self._places(rows, each_at(rows))]
            conversations, texts = [one for one, _ in answered], [text for _, text in answered]
        names = [self._texts(rows, name, read.short) for name in CANDIDATE_NAMES]
        faulty = self.collector.problems.faulty_rows
        of_instance = distinct = each_at(rows)
        if isinstance(rows, CellRows):
            of_instance, distinct = rows.distinct(read.of_instance)
        places = list(rows.places(distinct, read.of_instance))
        drafts = np.full(rows.size, -1)
        every = zip(of_instance.tolist(), rows.numbers.tolist(), texts, zip(*names, strict=True),
                    conversations, strict=True)  # fmt: skip
        for at, (place_at, number, text, own_names, conversation) in enumerate(every):
            self.collector.problems.row = number
            known = self.collector.problems.total
            key, instance = self._instance(places[place_at], number, text, own_names, conversation)
            if instance is None or number in faulty or self.collector.problems.total > known:
                continue
            draft = self._draft(places[place_at], number, text, own_names[0], key, instance)
            if draft is not None:
                drafts[at] = draft.number
        self.collector.problems.row = 0
        return drafts[codes]

    def _texts(
        self,
        rows: Rows,
        field: str,
        read: Callable[[str, Place], str],
        are_read: Callable[[Sequence[Any]], bool] = lambda cells: False,
    ) -> list[str]:
        """What a function reads of a field in each row. are_read: whether these are the cells."""
        source = self.instances.sources.get(field)
        if source is None:
            return [""] * rows.size
        if not isinstance(rows, CellRows):
            return [read(field, place) for place in self._places(rows, each_at(rows))]
        name = column_of(source, rows.file.header)
        if name is not None and are_read(rows.table.cells[name]):
            codes, values = rows.table.codes[name], [str(one) for one in rows.table.cells[name]]
        else:
            codes, first = rows.distinct([source])
            values = [read(field, place) for place in self._places(rows, first, [source])]
        return list(map(values.__getitem__, codes.tolist()))

    def _instance(
        self,
        place: Place,
        number: int,
        text: str,
        names: Sequence[str],
        conversation: Conversation | None,
    ) -> tuple[str, InstanceRecord | None]:
        """The key of a candidate with a text and CANDIDATE_NAMES, "" without one, and its instance;
        None with a problem."""
        read, (system, key, name) = self.instances, names
        is_rating = self.recipe.rows_are_ratings
        if not key and is_rating and name and (system or "candidate" not in read.sources):
            key = f"{name}/{system}" if system else name
        # Without any text of an instance, each candidate has one of its own.
        instance = read.instance(
            place,
            conversation,
            lambda: key or (instance_key("", text, ()) if is_rating else self._row(number)),
        )
        return key, instance

    def _row(self, number: int) -> str:
        prefix = self.options.row_prefix or self.instances.file.row_prefix
        return f"{prefix}row-{number}"

    def _draft(
        self,
        place: Place,
        number: int,
        text: str,
        system: str,
        key: str,
        instance: InstanceRecord,
    ) -> _CandidateDraft | None:
        """The candidate of a record; None with a problem."""
        read, recipe = self.instances, self.recipe
        row, is_rating = self._row(number), recipe.rows_are_ratings
        if recipe.texts and not read.names_values:
            key = f"{key or row}/{place.column}"
        if self.texts is not None:
            if (other := self.texts.get(key)) is None:
                self._fault(place, f"the file of texts has no {quote(key)}")
                return None
            text, system = other.text, system or other.system
            instance = self.collector.pool.share(other.instance)
        position = self._position
        if position is None or place.line is not None:  # without the texts of the record
            position = Place(place.file, place.line, number, (), place.path, column=place.column)
        name = self.collector.pool.name(system)
        draft = _CandidateDraft(key or row, instance, text, name, position)
        if recipe.keys is not None:
            draft.test_key = KeyRecord(read.answers(place), place.line)
        if not key and is_rating:
            same_texts = self._by_texts.setdefault((instance.key, system, text), draft)
            return self._add(draft) if same_texts is draft else same_texts
        earlier = self._by_key.get(draft.key)
        if earlier is None or not is_rating:
            return self._add(draft)
        same = (earlier.text, earlier.system, earlier.instance.key)
        if same == (draft.text, draft.system, draft.instance.key):
            return earlier
        at = f"line {earlier.position.line}" if earlier.position.line else "an earlier record"
        what = next(
            name
            for name, one, other in zip(
                ("text", "system", "instance"), same, (text, system, instance.key), strict=True
            )
            if one != other
        )
        self._fault(place, f"the candidate {quote(draft.key)} has another {what} on {at}")
        return None

    def _add(self, draft: _CandidateDraft) -> _CandidateDraft:
        draft.number = len(self.drafts)
        self.drafts.append(draft)
        self._by_key.setdefault(draft.key, draft)  # `add_candidate` reports another one
        return draft

    def _add_to_candidates(self, rows: Rows, drafts: Codes) -> None:
        """Count the records of candidates, and read the spans that raters marked in them."""
        if isinstance(rows, CellRows):
            return
        for place, number in zip(self._places(rows, each_at(rows)), drafts.tolist(), strict=True):
            place.nth = 1
            if number < 0:
                continue
            draft = self.drafts[number]
            draft.records += 1
            place.nth = draft.records
            if self.recipe.marks is not None:
                self._mark(place, draft, self.recipe.marks)

    def _ratings(self, rows: Rows, drafts: Codes, rule: Values) -> _Found:
        """The ratings that a rule reads in rows, without those that are missing."""
        codes, first = rows.distinct([rule.value], of_names=True)
        counts = np.bincount(codes, minlength=len(first)).tolist()
        read = []
        for place, times in zip(self._places(rows, first, [rule.value]), counts, strict=True):
            value = self._value(rule, place, times)
            read.append(-1 if value is None else self.given.value(value))
        values = np.array(read, np.int64)[codes]
        is_given = values >= 0
        if not is_given.all():  # who gave no rating need not have a name
            rows = rows.at(np.flatnonzero(is_given))
            drafts, values = drafts[is_given], values[is_given]
        others = [one for name, one in rule.sources.items() if name != "value"]
        codes, first = rows.distinct(others)
        keys = [self._rater(rule, place) for place in self._places(rows, first, others)]
        raters = np.array([-1 if key is None else self.given.rater(key) for key in keys], np.int64)
        found = _Found(rule, rows, drafts, raters[codes], values)
        is_read = (found.raters >= 0) & (found.drafts >= 0)
        if not is_read.all():
            found = found.at(np.flatnonzero(is_read))
        return self._chosen_together(found) if rule.only else found

    def _chosen_together(self, found: _Found) -> _Found:
        """The ratings, where the values that a rater chose together in a record are one."""
        together: dict[tuple[int, int, int], list[int]] = {}
        every = zip(*(one.tolist() for one in (found.rows.numbers, found.drafts, found.raters)),
                    strict=True)  # fmt: skip
        for at, key in enumerate(every):
            together.setdefault(key, []).append(at)
        known, codes = self.given.values, found.values.tolist()
        values = [self.given.value(joined([known[codes[at]] for at in positions]))
                  for positions in together.values()]  # fmt: skip
        first = np.array([positions[0] for positions in together.values()], np.int64)
        return replace(found.at(first), values=np.array(values, np.int64))

    def _add_ratings(self, parts: Sequence[_Found]) -> None:
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

    def _name_repeated(self, part: _Found) -> None:
        """Name the ratings of candidates that their raters gave earlier, too."""
        keys = self.given.raters
        pairs = zip(part.drafts.tolist(), part.raters.tolist(), strict=True)
        for place, key in zip(self._places(part.rows, each_at(part.rows)), pairs, strict=True):
            if key in self._rated:
                criterion, worker, _ = keys[key[1]]
                what = f" on {quote(criterion)}" if criterion else ""
                self._fault(place, f"{quote(worker)} rates this candidate{what} twice", part.rule)
            self._rated.add(key)

    def _add_scores(self, rows: Rows, drafts: Codes, rule: Values) -> dict[str, int]:
        """Add the scores of rows. Returns the first record of each criterion."""
        first: dict[str, int] = {}
        for place, number in zip(self._places(rows, each_at(rows)), drafts.tolist(), strict=True):
            if (value := self._value(rule, place)) is None:
                continue
            criterion = self._criterion(rule, place)
            first.setdefault(criterion, self.collector.problems.row)
            scores = self.drafts[number].scores if number >= 0 else {}
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

    def _mark(self, place: Place, draft: _CandidateDraft, marks: MarkedErrors) -> None:
        worker = self.instances.name(marks.worker, place, "rater")
        spans = spans_of(marks, place, draft.text, self.instances.name_of, self._fault)
        if marks.path:
            draft.marks[worker] = list(spans)  # all of the rater's, the last time
        else:
            draft.marks.setdefault(worker, []).extend(spans)

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
        drafts = self.drafts
        if reference_system := self.options.reference_system or self.recipe.reference_system:
            drafts = self._with_references(drafts, reference_system)
        are_by_offsets = self.recipe.marks is not None and bool(self.recipe.marks.path)
        if are_by_offsets and not any(any(draft.marks.values()) for draft in drafts):
            for draft in drafts:
                draft.marks = {}  # raters were not asked for spans
        grouped = self.given.by_candidate([draft.number for draft in drafts])
        if self.recipe.others == "labels":
            comments = self.values.comments(grouped.counts())
            grouped.leave_out(comments)
            rated = {criterion for criterion, _ in grouped.given}
            rated |= {criterion for draft in drafts for criterion in draft.scores}
            self.criteria = {name: None for name in self.criteria if name in rated}
        pairs = dict.fromkeys(grouped.given)
        pairs |= dict.fromkeys(one for draft in drafts for one in draft.scores.items())
        numbers = self.values.numbers(pairs, self.collector)
        has_scale = bool(self.values.scales) or self.recipe.scale is not None
        if not has_scale and (note := ids_note(numbers.values())):
            self.collector.note(note)
        are_small = all(abs(number) <= MAX_MAGNITUDE for number in numbers.values())
        ratings = grouped.records(len(drafts), numbers)
        named = tuple(name for name in self.criteria if name)
        chosen = self.options.criteria(named) if named else ()
        if self.options.criterion is not None and not named:
            chosen = self.options.criteria(named)
        report = self.collector.report
        report.criterion = self.options.criterion or ""
        scales = {name: self._scale(name) for name in ("", *chosen)}
        rows_are_ratings = self.recipe.rows_are_ratings
        for draft, by_criterion in zip(drafts, ratings, strict=True):
            if rows_are_ratings:
                self.collector.count_row(draft.position.file, draft.position.line)
            judgments = [self._judgment(draft, name, scales[name], by_criterion.get(name), numbers)
                         for name in chosen]  # fmt: skip
            fields: Any = self.options.judgment_fields(judgments) if named else {}
            if "" in by_criterion or "" in draft.scores:
                own = self._judgment(draft, "", scales[""], by_criterion.get(""), numbers)
                if self.options.criterion is None:
                    fields |= {"score": own.score, "ratings": own.ratings}
            marks = tuple([MarksRecord(who, tuple(spans)) for who, spans in draft.marks.items()])
            candidate = CandidateRecord(
                draft.key, draft.instance, draft.text, draft.system, marks=marks,
                test_key=draft.test_key, **fields
            )  # fmt: skip
            self.collector.add_candidate(candidate, draft.position.file, draft.position.line,
                                         "id", score_in_file=report.criterion in draft.scores,
                                         is_small=are_small)  # fmt: skip
        self._finish_report(chosen)

    def _with_references(
        self, drafts: Sequence[_CandidateDraft], system: str
    ) -> list[_CandidateDraft]:
        """The candidates of instances that have one of this system, whose text is the reference,
        without those of the system."""
        texts: dict[str, tuple[str, ...]] = {}
        for draft in drafts:
            if draft.system == system:
                texts[draft.instance.key] = (*texts.get(draft.instance.key, ()), draft.text)
        if drafts and not texts:
            systems = quote_names(sorted({draft.system for draft in drafts}))
            message = f"no candidate is of the system {quote(system)}; the systems are {systems}"
            raise self.collector.problems.fatal("", None, "reference_system", message)
        instances: dict[str, InstanceRecord] = {}
        judged = []
        for draft in drafts:
            key = draft.instance.key
            if draft.system != system and key in texts:
                own = instances.get(key) or replace(draft.instance, references=texts[key])
                draft.instance = instances.setdefault(key, own)
                judged.append(draft)
            elif self.collector.claim_id(draft.key, draft.position.file, draft.position.line, "id"):
                is_reference = draft.system == system
                reason = (f"answers by {system}, which are the references" if is_reference
                          else f"answers to instances without one by {system}")  # fmt: skip
                self.collector.leave_out(reason)
        self.collector.pool.restrict(instances)
        return judged

    def _finish_report(self, chosen: Sequence[str]) -> None:
        scales = [self._scale(name) for name in chosen or ("",)]
        if self.options.criterion is not None or not chosen:
            self.collector.scale = scales[0]
        if self.given.replaced and self.recipe.repeated == "last":
            self.collector.note(
                f"Earlier ratings that the same rater replaced: {self.given.replaced:,}."
            )
        self.values.report(self.collector)
        for note in self.recipe.notes:
            self.collector.note(note)

    def _scale(self, criterion: str) -> Scale | None:
        if criterion in self.values.scales:
            return self.values.scales[criterion]
        stated = self.recipe.scale.ends if self.recipe.scale else None
        return stated or self.scales.get(criterion)

    def _judgment(
        self,
        draft: _CandidateDraft,
        criterion: str,
        scale: Scale | None,
        given_ratings: Ratings | None,
        numbers: Mapping[tuple[str, Raw], float],
    ) -> CriterionRecord:
        place, (ratings, values) = draft.position, given_ratings or NO_RATINGS
        for rating in ratings if scale else ():
            if scale and (fault := scale_fault(rating.value, scale)):
                self._fault(place, f"the rating of {quote(rating.worker)}: {fault}")
        if len(ratings) > self.collector.limits.max_ratings:
            limit = self.collector.limits.max_ratings
            self._fault(place, f"{len(ratings):,} ratings; at most {limit:,} are allowed")
        if not has_mean(scale):
            return CriterionRecord(criterion, scale, None, ratings)
        if group := self.recipe.gold_group:
            values = [rating.value for rating in ratings if rating.group == group]
        stated = draft.scores.get(criterion)
        own = None if stated is None else numbers[criterion, stated]
        if own is not None and scale and (fault := scale_fault(own, scale)):
            self._fault(place, f"the score {fault}")
        return CriterionRecord(criterion, scale, own_or_mean(own, values), ratings)
