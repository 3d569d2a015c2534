"""Candidates, ratings, scores and marked errors from the records of a recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from concord.formats.collector import RecordCollector, Scale
from concord.formats.errors import quote, quote_names
from concord.formats.fields import scale_fault
from concord.formats.files import SourceFile
from concord.formats.instances import instance_key
from concord.formats.options import ReadOptions
from concord.formats.recipes.instances import InstanceReader
from concord.formats.recipes.numbers import WordReader
from concord.formats.recipes.paths import MISSING, Place
from concord.formats.recipes.recipe import FormatRecipe, MarkedErrors, Values
from concord.formats.recipes.records import RecordFile
from concord.formats.records import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    MarksRecord,
    RatingRecord,
    Span,
    gold_score,
    has_mean,
)

Raw = float | str
# (criterion, rater, group)
RaterKey = tuple[str, str, str]


@dataclass(slots=True)
class _CandidateDraft:
    """A candidate while its records are read. position: of its first record."""

    key: str
    instance: InstanceRecord
    text: str
    system: str
    position: Place
    ratings: dict[RaterKey, Raw] = field(default_factory=dict)
    scores: dict[str, Raw] = field(default_factory=dict)
    marks: dict[str, list[Span]] = field(default_factory=dict)


def read_judgments(
    recipe: FormatRecipe,
    collector: RecordCollector,
    files: Sequence[SourceFile],
    options: ReadOptions,
) -> None:
    """Read the candidates of files as a recipe says."""
    reader = _Judgments(recipe, collector, options)
    for file in files:
        reader.read(RecordFile(file, recipe, collector, options.sheet))
    reader.finish()


class _Judgments:
    def __init__(
        self, recipe: FormatRecipe, collector: RecordCollector, options: ReadOptions
    ) -> None:
        self.recipe, self.collector, self.options = recipe, collector, options
        self.values = WordReader(recipe)
        self.drafts: dict[str, _CandidateDraft] = {}
        self.repeated: list[_CandidateDraft] = []
        self.scales: dict[str, Scale] = {}
        self.criteria: dict[str, None] = {}
        self.records = self.replaced = 0
        self._by_signature: dict[Any, _CandidateDraft] = {}
        self._by_texts: dict[Any, _CandidateDraft] = {}

    def read(self, file: RecordFile) -> None:
        self.instances = InstanceReader(file, self.options)
        self.row = 0
        self.row_prefix = self.collector.row_prefix(file.file)
        self.getters = [source.get for source in self.instances.sources.values()]
        if self.recipe.messages is not None:
            self.getters.append(self.recipe.messages.source.get)
        rules = (*self.recipe.ratings, *self.recipe.scores, *self.recipe.texts)
        self.rules = [rule.bound(file.bound) for rule in rules]
        plain = self._plain_columns(file)
        if plain is not None:
            self._read_plain(file, *plain)
        for place in () if plain else file.places():
            self._count(place)
            if reason := left_out_reason(self.recipe, place):
                if not self.recipe.rows_are_ratings:
                    self.collector.leave_out(reason)
                self.values.left_out[reason] = self.values.left_out.get(reason, 0) + 1
                continue
            if self.recipe.marks is not None:
                self._mark(place, self.recipe.marks)
            self._rate(file, place)
        file.report()
        self.scales |= file.scales

    def _plain_columns(self, file: RecordFile) -> tuple[list[int], list[int], int] | None:
        """Of a table whose rows are a rating each, the columns of the candidate, of the criterion,
        rater and group, and of the value; None where one of these is not just a column."""
        recipe, rules = self.recipe, self.recipe.ratings
        has_more = recipe.marks or recipe.leave_out or recipe.messages or len(self.rules) > 1
        if has_more or not recipe.rows_are_ratings or len(rules) != 1 or self.instances.needs_value:
            return None
        (rule,) = rules
        given = [source for source in (rule.criterion, rule.worker, rule.group)
                 if source is not None and not file.is_absent(source)]  # fmt: skip
        own = [file.column(one) for one in self.instances.sources.values()]
        rater, value = [file.column(one) for one in given], file.column(rule.value)
        found = [[at for at in part if at is not None] for part in (own, rater)]
        if value is None or found != [own, rater] or rule.path or rule.columns:
            return None
        return found[0], found[1], value

    def _read_plain(
        self, file: RecordFile, own: list[int], rater: list[int], value_at: int
    ) -> None:
        """Read the rows of `_plain_columns`: what was read before is looked up by its cells, and
        the rest is read as any record."""
        candidate_of, rater_of = _picked(own), _picked(rater)
        keys: dict[Any, RaterKey] = {}
        problems, known = self.collector.problems, self.values.known
        (rule,) = self.rules
        for line, cells in file.rows():
            self.records, self.row = self.records + 1, self.row + 1
            try:
                ratings = self._by_signature[candidate_of(cells)].ratings
                key, value = keys[rater_of(cells)], known[cells[value_at]]
                if value is not None and key not in ratings:
                    ratings[key] = value
                    continue
            except (KeyError, TypeError):  # not read before, or a list
                pass
            place, before = file.place(line, self.row, cells), problems.total
            self._check_limit(place)
            self._rate(file, place)
            if problems.total == before and isinstance(cells[value_at], str):
                criterion, worker, group = (
                    "" if source is None else self.instances.name(source, place, "rater")
                    for source in (rule.criterion, rule.worker, rule.group)
                )
                if worker:
                    keys[rater_of(cells)] = criterion, worker, group
        if self.records > self.collector.limits.max_rows:
            self._check_limit(file.place(line, self.row, cells))

    def _check_limit(self, place: Place) -> None:
        if self.records > self.collector.limits.max_rows:
            message = f"more than {self.collector.limits.max_rows:,} rows; split the file"
            raise self.collector.problems.fatal(place.file, place.line, None, message)

    def _count(self, place: Place) -> None:
        self.records, self.row = self.records + 1, self.row + 1
        if not self.recipe.rows_are_ratings:
            self.collector.count_row(place.file, place.line, 0 if self.recipe.texts else 1)
        else:
            self._check_limit(place)

    def _rate(self, file: RecordFile, place: Place) -> None:
        """Read the values of a record; without any rule, it is a candidate without a judgment."""
        recipe = self.recipe
        draft = None if self.instances.needs_value else self._draft(place)
        if draft is None and not self.instances.needs_value:
            return
        for at, rule in enumerate(self.rules):
            is_rating = at < len(recipe.ratings)
            for one in file.values_of(place, rule, at):
                if rule.path:
                    file.see(one, len(place.scopes))
                own = self._draft(one) if self.instances.needs_value else draft
                if at >= len(recipe.ratings) + len(recipe.scores):  # a column of candidates
                    self.collector.count_row(one.file, one.line)
                    continue
                if own is None:
                    continue
                raw = rule.value.get(one)
                if raw is MISSING and not rule.value.is_optional:
                    self._fault(one, "is missing", rule)
                value = self.values.read(raw, one, self.collector)
                if value is None:
                    continue
                criterion = "" if rule.criterion is None else self.instances.name(
                    rule.criterion, one, "criterion"
                )  # fmt: skip
                self.criteria.setdefault(criterion)
                if is_rating:
                    self._add_rating(own, rule, one, criterion, value)
                elif own.scores.setdefault(criterion, value) != value:
                    message = f"is {quote(str(value))}, but an earlier score is another"
                    self._fault(one, message, rule)

    def _add_rating(
        self, draft: _CandidateDraft, rule: Values, place: Place, criterion: str, value: Raw
    ) -> None:
        if rule.worker is None or not (worker := self.instances.name(rule.worker, place, "rater")):
            self._fault(place, "has no name of a rater", rule)
            return
        group = ""
        if rule.group is not None:
            group = self.instances.name(rule.group, place, "group of raters")
        if rule.worker.is_position and isinstance(rule.worker.get(place), int):
            self.collector.note(
                "The file does not name raters: rater 1 is the first rating of a candidate, not a "
                "person."
            )
        key = (criterion, worker, group)
        if key in draft.ratings:
            self.replaced += 1
            if self.recipe.repeated == "error":
                what = f" on {quote(criterion)}" if criterion else ""
                self._fault(place, f"{quote(worker)} rates this candidate{what} twice", rule)
        draft.ratings[key] = value

    def _draft(self, place: Place) -> _CandidateDraft | None:
        """The candidate of a record; None with a problem."""
        if not self.recipe.rows_are_ratings:
            return self._new_draft(place)
        signature = tuple([get(place) for get in self.getters])
        try:
            draft = self._by_signature.get(signature)
        except TypeError:  # a list, such as the references
            return self._new_draft(place)
        if draft is None and (draft := self._new_draft(place)) is not None:
            self._by_signature[signature] = draft
        return draft

    def _new_draft(self, place: Place) -> _CandidateDraft | None:
        before = self.collector.problems.total
        read = self.instances
        conversation, text = read.answered(place)
        system = read.short("system", place)
        key = read.short("id", place)
        is_rating, name = self.recipe.rows_are_ratings, read.short("instance", place)
        if not key and is_rating and name and (system or "candidate" not in read.sources):
            key = f"{name}/{system}" if system else name
        row = f"{self.row_prefix}row-{self.row}"
        # Without any text of an instance, each candidate has one of its own.
        own = key or (instance_key("", text, ()) if is_rating else row)
        instance = read.instance(place, own, conversation)
        if instance is None or self.collector.problems.total > before:
            return None
        draft = _CandidateDraft(key or row, instance, text, self.collector.pool.name(system), place)
        if not key and is_rating:
            return self._add(self._by_texts.setdefault((instance.key, system, text), draft))
        earlier = self.drafts.get(draft.key)
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
        earlier = self.drafts.setdefault(draft.key, draft)
        if earlier is not draft:
            self.repeated.append(draft)  # `add_candidate` reports it
        return draft

    def _mark(self, place: Place, marks: MarkedErrors) -> None:
        draft = self._draft(place)
        worker = self.instances.name(marks.worker, place, "rater")
        if draft is None:
            return
        spans = draft.marks.setdefault(worker, [])
        severity = str(marks.severity.get(place)).strip()
        if severity.casefold() in marks.none:
            return
        if severity.casefold() not in marks.severities:
            known = quote_names([*marks.severities, *marks.none])
            self._fault(place, f"the severity is {quote(severity)}; one of {known} is expected")
            return
        category = "" if marks.category is None else self.instances.name(
            marks.category, place, "category"
        )  # fmt: skip
        text = marks.text.get(place)
        for start, end in _marked(text, marks) if isinstance(text, str) else ():
            spans.append(Span(start, end, marks.severities[severity.casefold()],
                              (category,) if category else ()))  # fmt: skip

    def _fault(self, place: Place, message: str, rule: Values | None = None) -> None:
        """Add a problem of a record, or of the value that a rule has there."""
        name = "" if rule is None or place.column else ".".join(rule.value.names[:1])
        path = ".".join(part for part in (place.path, name) if part)
        self.collector.problems.add(place.file, place.line, path or None, message)

    def finish(self) -> None:
        """Add the candidates."""
        drafts = [*self.drafts.values(), *self.repeated]
        pairs = dict.fromkeys(
            (one[0], value) for draft in drafts for one, value in draft.ratings.items()
        )
        pairs |= dict.fromkeys(one for draft in drafts for one in draft.scores.items())
        numbers = self.values.numbers(pairs, self.collector)
        named = tuple(name for name in self.criteria if name)
        chosen = self.options.criteria(named) if named else ()
        if self.options.criterion is not None and not named:
            chosen = self.options.criteria(named)
        report = self.collector.report
        report.criterion = self.options.criterion or ""
        shared: dict[tuple[RaterKey, Raw], RatingRecord] = {}
        for draft in drafts:
            if self.recipe.rows_are_ratings:
                self.collector.count_row(draft.position.file, draft.position.line)
            by_criterion: dict[str, list[RatingRecord]] = {}
            for given in draft.ratings.items():
                (name, worker, group), raw = given
                if (rating := shared.get(given)) is None:
                    rating = shared[given] = RatingRecord(worker, numbers[name, raw], group)
                by_criterion.setdefault(name, []).append(rating)
            judgments = [self._judgment(draft, name, by_criterion, numbers) for name in chosen]
            own = self._judgment(draft, "", by_criterion, numbers)
            fields: Any = self.options.judgment_fields(judgments) if named else {}
            if self.options.criterion is None:
                fields |= {"score": own.score, "ratings": own.ratings}
            stated = draft.scores.keys() & {self.options.criterion or ""}
            marks = tuple(MarksRecord(worker, tuple(spans))
                          for worker, spans in draft.marks.items())  # fmt: skip
            candidate = CandidateRecord(
                draft.key, draft.instance, draft.text, draft.system, marks=marks, **fields
            )
            self.collector.add_candidate(candidate, draft.position.file, draft.position.line,
                                         "id", score_in_file=bool(stated))  # fmt: skip
        report.missing = self.values.missing
        self._finish_report(chosen)

    def _finish_report(self, chosen: Sequence[str]) -> None:
        scales = [self._scale(name) for name in chosen or ("",)]
        if self.options.criterion is not None or not chosen:
            self.collector.scale = scales[0]
        if self.replaced and self.recipe.repeated == "last":
            self.collector.note(f"Earlier ratings that the same rater replaced: {self.replaced:,}.")
        if self.recipe.rows_are_ratings:
            for reason, count in self.values.left_out.items():
                self.collector.note(f"Rows left out: {count:,}, {reason}.")
        if self.values.words_left_out:
            self.collector.note(f"Values that are no numbers: {self.values.words_left_out:,}.")
        for note in self.recipe.notes:
            self.collector.note(note)

    def _scale(self, criterion: str) -> Scale | None:
        if criterion in self.values.scales:
            return self.values.scales[criterion]
        scale = self.recipe.scale
        if scale is not None and scale.lowest is not None and scale.highest is not None:
            return scale.lowest, scale.highest
        return self.scales.get(criterion)

    def _judgment(
        self,
        draft: _CandidateDraft,
        criterion: str,
        by_criterion: Mapping[str, Sequence[RatingRecord]],
        numbers: Mapping[tuple[str, Raw], float],
    ) -> CriterionRecord:
        scale, place = self._scale(criterion), draft.position
        ratings = by_criterion.get(criterion, ())
        for rating in ratings:
            if scale and (fault := scale_fault(rating.value, scale)):
                self._fault(place, f"the rating of {quote(rating.worker)}: {fault}")
        if len(ratings) > self.collector.limits.max_ratings:
            limit = self.collector.limits.max_ratings
            self._fault(place, f"{len(ratings):,} ratings; at most {limit:,} are allowed")
        if not has_mean(scale):
            return CriterionRecord(criterion, scale, None, tuple(ratings))
        given = draft.scores.get(criterion)
        score = gold_score(None if given is None else numbers[criterion, given], ratings)
        if score is not None and scale and not ratings and (fault := scale_fault(score, scale)):
            self._fault(place, f"the score {fault}")
        return CriterionRecord(criterion, scale, score, tuple(ratings))


def _picked(columns: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """A function that returns these cells of a row."""
    if len(columns) > 1:
        return itemgetter(*columns)
    return lambda cells: tuple(cells[at] for at in columns)


def left_out_reason(recipe: FormatRecipe, place: Place) -> str:
    """Why a record is left out; "" for one that is read."""
    for rule in recipe.leave_out:
        value = rule.source.get(place)
        text = "" if value is None or value is MISSING else str(value).strip().casefold()
        if text in rule.values:
            return rule.reason
    return ""


def _marked(text: str, marks: MarkedErrors) -> list[tuple[int | None, int | None]]:
    """The characters [start, end) between each two markers, in the text without markers; a pair
    of None where there are none."""
    found: list[tuple[int | None, int | None]] = []
    clean, rest = 0, text
    while True:
        before, opened, rest = rest.partition(marks.start)
        if not opened:
            break
        inside, _, rest = rest.partition(marks.end)
        start = clean + len(before)
        clean = start + len(inside)
        found.append((start, clean))
    return found or [(None, None)]
