"""Candidates, ratings, scores and marked errors from the records of a recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from concord.documents.conversation import Conversation
from concord.formats.collector import RecordCollector, Scale
from concord.formats.errors import FormatError, quote, quote_names
from concord.formats.fields import scale_fault
from concord.formats.files import SourceFile
from concord.formats.instances import instance_key
from concord.formats.limits import MAX_MAGNITUDE
from concord.formats.options import ReadOptions
from concord.formats.recipes.columnwise import may_have_columns, read_by_columns
from concord.formats.recipes.instances import (
    CANDIDATE_NAMES,
    InstanceReader,
    left_out_reason,
)
from concord.formats.recipes.numbers import Raw, WordReader, ids_note, joined
from concord.formats.recipes.paths import MISSING, Place
from concord.formats.recipes.ratings import NO_RATINGS, GivenRatings, RaterKey, Ratings
from concord.formats.recipes.recipe import FormatRecipe, MarkedErrors, Values
from concord.formats.recipes.records import RecordFile
from concord.formats.recipes.spans import spans_of
from concord.formats.records import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    MarksRecord,
    Span,
    has_mean,
    own_or_mean,
)
from concord.formats.texts import read_texts


@dataclass(slots=True)
class _CandidateDraft:
    """A candidate while its records are read. position: of its first record. number: among the
    candidates. records: how many it has. ratings: the numbers of values by those of raters
    (`GivenRatings`)."""

    key: str
    instance: InstanceRecord
    text: str
    system: str
    position: Place
    number: int = 0
    records: int = 0
    ratings: dict[int, int] = field(default_factory=dict)
    scores: dict[str, Raw] = field(default_factory=dict)
    marks: dict[str, list[Span]] = field(default_factory=dict)


def read_judgments(
    recipe: FormatRecipe,
    collector: RecordCollector,
    files: Sequence[SourceFile],
    options: ReadOptions,
) -> None:
    """Read the candidates of files as a recipe says."""
    if may_have_columns(recipe):
        if _are_read_by_columns(recipe, collector, files, options):
            return
        collector.restart()
    reader = JudgmentReader(recipe, collector, options)
    for file in files:
        reader.read(RecordFile(file, recipe, collector, options.sheet))
    reader.finish()


def _are_read_by_columns(
    recipe: FormatRecipe,
    collector: RecordCollector,
    files: Sequence[SourceFile],
    options: ReadOptions,
) -> bool:
    reader = JudgmentReader(recipe, collector, options)
    try:
        for file in files:
            if not read_by_columns(reader, RecordFile(file, recipe, collector, options.sheet)):
                return False
        if reader.given.count_repeated() and recipe.repeated == "error":
            return False
        reader.finish()
    except FormatError:
        return False
    return not collector.problems.total


class JudgmentReader:
    """Reads candidates and their judgments. row: the number of the record that is read."""

    def __init__(
        self, recipe: FormatRecipe, collector: RecordCollector, options: ReadOptions
    ) -> None:
        if options.order:
            recipe = replace(recipe, order=options.order)
        self.recipe, self.collector, self.options = recipe, collector, options
        self.values = WordReader(recipe)
        self.given = GivenRatings()
        self.drafts: dict[str, _CandidateDraft] = {}
        self.repeated: list[_CandidateDraft] = []
        self.scales: dict[str, Scale] = {}
        self.criteria: dict[str, None] = {}
        self.records = 0
        self.texts = None if options.texts is None else read_texts(collector, options.texts)
        self._by_signature: dict[Any, _CandidateDraft] = {}
        self._by_texts: dict[Any, _CandidateDraft] = {}

    def begin(self, file: RecordFile) -> None:
        """Begin with a file."""
        self.instances = InstanceReader(file, self.options)
        self.row = 0
        self.row_prefix = file.row_prefix
        self.getters = [source.get for source in self.instances.sources.values()]
        if self.recipe.messages is not None:
            self.getters.append(self.recipe.messages.source.get)
        rules = (*self.recipe.ratings, *self.recipe.scores, *self.recipe.texts)
        self.rules = [rule.bound(file.bound) for rule in rules]

    def read(self, file: RecordFile) -> None:
        """Read a file, record by record."""
        self.begin(file)
        for place in file.places():
            self._count(place)
            if self.is_left_out(place):
                continue
            if self.recipe.marks is not None:
                self._mark(place, self.recipe.marks)
            self._rate(file, place)
        file.report()
        self.scales |= file.scales

    def is_left_out(self, place: Place, times: int = 1, *, is_value: bool = False) -> bool:
        """Whether a record is left out, or a value inside one. times: how many such there are."""
        reason = left_out_reason(self.recipe, place)
        if reason:
            if not self.recipe.rows_are_ratings and not is_value:
                self.collector.leave_out(reason, times)
            counts = self.values.values_left_out if is_value else self.values.left_out
            counts[reason] = counts.get(reason, 0) + times
        return bool(reason)

    def _count(self, place: Place) -> None:
        self.records, self.row = self.records + 1, self.row + 1
        if not self.recipe.rows_are_ratings:
            self.collector.count_row(place.file, place.line, 0 if self.recipe.texts else 1)
        elif self.records > self.collector.limits.max_rows:
            message = f"more than {self.collector.limits.max_rows:,} rows; split the file"
            raise self.collector.problems.fatal(place.file, place.line, None, message)

    def _rate(self, file: RecordFile, place: Place) -> None:
        """Read the values of a record; without any rule, it is a candidate without a judgment."""
        recipe = self.recipe
        draft = None if self.instances.needs_value else self._draft(place)
        if draft is None and not self.instances.needs_value:
            return
        if draft is not None:
            draft.records += 1
            place.nth = draft.records
        for at, rule in enumerate(self.rules):
            is_rating = at < len(recipe.ratings)
            chosen: list[tuple[_CandidateDraft, Place, Raw]] = []
            for one in file.values_of(place, rule, at):
                if rule.path:
                    if not rule.columns:
                        file.see(one, len(place.scopes))
                    if self.is_left_out(one, is_value=True):
                        continue
                own = self._draft(one) if self.instances.needs_value else draft
                if at >= len(recipe.ratings) + len(recipe.scores):  # a column of candidates
                    self.collector.count_row(one.file, one.line)
                    continue
                if own is None:
                    continue
                value = self.value(rule, one)
                if value is None:
                    continue
                if not is_rating:
                    self._add_score(own, rule, one, value)
                elif rule.only:
                    chosen.append((own, one, value))
                else:
                    self._add_rating(own, self.rater(rule, one), rule, one, value)
            self._add_chosen(rule, chosen)

    def _add_score(self, draft: _CandidateDraft, rule: Values, place: Place, value: Raw) -> None:
        criterion = self._criterion(rule, place)
        self.criteria.setdefault(criterion)
        if draft.scores.setdefault(criterion, value) != value:
            message = f"is {quote(str(value))}, but an earlier score is another"
            self._fault(place, message, rule)

    def _add_chosen(
        self, rule: Values, chosen: Sequence[tuple[_CandidateDraft, Place, Raw]]
    ) -> None:
        """Add the values of a record that a rater chose together as one rating."""
        together: dict[tuple[int, RaterKey | None], list[int]] = {}
        for at, (draft, place, _) in enumerate(chosen):
            together.setdefault((draft.number, self.rater(rule, place)), []).append(at)
        for (_, key), positions in together.items():
            draft, place, _ = chosen[positions[0]]
            self._add_rating(draft, key, rule, place, joined([chosen[at][2] for at in positions]))

    def value(self, rule: Values, place: Place, times: int = 1) -> Raw | None:
        """The rating or score of a value of a record; None without one, or with a problem. times:
        how many such values there are."""
        raw = rule.value.get(place)
        if raw is MISSING and not rule.value.is_optional:
            self._fault(place, "is missing", rule)
        return self.values.read(raw, place, self.collector, times)

    def rater(self, rule: Values, place: Place) -> RaterKey | None:
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

    def _add_rating(
        self, draft: _CandidateDraft, key: RaterKey | None, rule: Values, place: Place, value: Raw
    ) -> None:
        """Add a rating. key: what `rater` returns for the place."""
        if key is None:
            return
        rater, (criterion, worker, _) = self.given.rater(key), key
        self.criteria.setdefault(criterion)
        if rater in draft.ratings:
            self.given.replaced += 1
            if self.recipe.repeated == "error":
                what = f" on {quote(criterion)}" if criterion else ""
                self._fault(place, f"{quote(worker)} rates this candidate{what} twice", rule)
        draft.ratings[rater] = self.given.value(value)

    def _draft(self, place: Place) -> _CandidateDraft | None:
        """The candidate of a record; None with a problem."""
        if not self.recipe.rows_are_ratings:
            return self.new_draft(place)
        signature = tuple([get(place) for get in self.getters])
        try:
            draft = self._by_signature.get(signature)
        except TypeError:  # a list, such as the references
            return self.new_draft(place)
        if draft is None and (draft := self.new_draft(place)) is not None:
            self._by_signature[signature] = draft
        return draft

    def new_draft(self, place: Place) -> _CandidateDraft | None:
        """The candidate of a record that differs from the others; None with a problem."""
        before = self.collector.problems.total
        conversation, text = self.instances.answered(place)
        names = [self.instances.short(field, place) for field in CANDIDATE_NAMES]
        return self.draft_of(place, text, names, conversation, before)

    def draft_of(
        self,
        place: Place,
        text: str,
        names: Sequence[str],
        conversation: Conversation | None = None,
        problems: int = 0,
    ) -> _CandidateDraft | None:
        """The candidate of a record with a text and CANDIDATE_NAMES; None with a problem.

        problems: how many there were before the record.
        """
        read, (system, key, name) = self.instances, names
        is_rating = self.recipe.rows_are_ratings
        if not key and is_rating and name and (system or "candidate" not in read.sources):
            key = f"{name}/{system}" if system else name
        row = f"{self.row_prefix}row-{self.row}"
        # Without any text of an instance, each candidate has one of its own.
        instance = read.instance(
            place,
            conversation,
            lambda: key or (instance_key("", text, ()) if is_rating else row),
        )
        if instance is None or self.collector.problems.total > problems:
            return None
        if self.texts is not None:
            if (other := self.texts.get(key)) is None:
                self._fault(place, f"the file of texts has no {quote(key)}")
                return None
            text, system = other.text, system or other.system
            instance = self.collector.pool.share(other.instance)
        draft = _CandidateDraft(key or row, instance, text, self.collector.pool.name(system), place)
        if not key and is_rating:
            same_texts = self._by_texts.setdefault((instance.key, system, text), draft)
            return self._add(draft) if same_texts is draft else same_texts
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
        draft.number = len(self.drafts)
        earlier = self.drafts.setdefault(draft.key, draft)
        if earlier is not draft:
            self.repeated.append(draft)  # `add_candidate` reports it
        return draft

    def _mark(self, place: Place, marks: MarkedErrors) -> None:
        draft = self._draft(place)
        worker = self.instances.name(marks.worker, place, "rater")
        if draft is None:
            return
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
        drafts = [*self.drafts.values(), *self.repeated]
        if reference_system := self.options.reference_system or self.recipe.reference_system:
            drafts = self._with_references(drafts, reference_system)
        are_by_offsets = self.recipe.marks is not None and bool(self.recipe.marks.path)
        if are_by_offsets and not any(any(draft.marks.values()) for draft in drafts):
            for draft in drafts:
                draft.marks = {}  # raters were not asked for spans
        grouped = self.given.by_candidate([draft.ratings for draft in drafts])
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
                draft.key, draft.instance, draft.text, draft.system, marks=marks, **fields
            )
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
