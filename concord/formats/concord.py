"""Reader of Concord's JSON Lines `concord-judgments`; `concord_pairs` reads the pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from concord.documents.conversation import Conversation, question_of
from concord.formats.collector import RecordCollector, Scale
from concord.formats.conversations import (
    CONVERSATION_FIELDS,
    read_answer,
    read_conversation,
)
from concord.formats.errors import Problems, choices_of, json_path_part, quote
from concord.formats.fields import (
    Fields,
    json_type,
    parse_number,
    scale_fault,
    text_fault,
)
from concord.formats.files import SourceFile
from concord.formats.instances import differing_fields
from concord.formats.marks import checked_span
from concord.formats.options import ReadOptions
from concord.formats.records import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    KeyRecord,
    MarksRecord,
    RatingRecord,
    SamplingRecord,
    Span,
    WordScale,
    gold_score,
    has_mean,
    scale_text,
)

OPTIONS = frozenset({"criterion", "without_references", "keys"})

INSTANCE_FIELDS = CONVERSATION_FIELDS | frozenset(
    {
        "instance",
        "constituent",
        "split",
        "passage",
        "question",
        "references",
        "short_answer",
        "category",
    }
)
CRITERION_FIELDS = frozenset({"scale", "values", "ordered", "score", "ratings"})
JUDGMENT_FIELDS = (
    INSTANCE_FIELDS
    | CRITERION_FIELDS
    | {"id", "candidate", "system", "criteria", "marks", "sampling"}
)

# What a field is, where it is not what its name says.
MEANINGS = {"references": "reference"}
KEY_FIELDS = frozenset({"answers"})
REQUIRED_FIELDS = frozenset({"id", "references", "candidate"})
WORKER_FIELDS = frozenset({"worker", "group", "simulated"})
RATING_FIELDS = WORKER_FIELDS | {"value"}
MARKS_FIELDS = WORKER_FIELDS | {"spans"}
SAMPLING_FIELDS = frozenset({"unit", "probabilities", "drawn"})
SPAN_FIELDS = frozenset({"start", "end", "severity", "categories"})


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read one candidate per line.

    Required: id, references, candidate. Optional fields may be absent or null. All lines of an
    instance must have the same instance fields, and all lines with a scale the same scale. Every
    score and rating must lie on it. Without `score` the gold score is the mean of `ratings`.
    `values` in place of `scale` are words, which ratings are then, or positions of words from 0;
    only with `ordered` they have a score. A rating whose value is null is missing, and counted.

    `messages` are turns in place of passage and question; the candidate follows the last one, or,
    with `"judged": "conversation"`, is the last turn of the assistant.

    A candidate with `marks` may have no references.

    `criteria` has the same three fields for each criterion by its name. With the option
    `criterion`, this criterion is read as the score, and the others are left out. `marks` has the
    error spans that each worker marked. `sampling` says how candidates were drawn. With the option
    `keys`, `answers` has the correct answers to criteria, by name.
    """
    lines = Lines(collector, options)
    collector.report.criterion = options.criterion or ""
    allowed = JUDGMENT_FIELDS | KEY_FIELDS if options.keys else JUDGMENT_FIELDS
    meanings = {name: name for name in allowed} | MEANINGS
    for file in files:
        for line, data in file.objects(collector.problems):
            collector.count_row(file.name, line)
            collector.report.see(data, meanings)
            fields = Fields(data, collector.problems, collector.limits, file.name, line)
            fields.reject_unknown(allowed)
            key = fields.name("id", required=True)
            conversation = read_conversation(fields)
            text = read_answer(fields, conversation)
            system = collector.pool.name(fields.name("system"))
            score = lines.judgment(fields)
            criteria = lines.criteria(fields)
            marks = _marks(fields, collector, text)
            sampling = _sampling(fields)
            answers = fields.values_by_name("answers")
            without_references = bool(data.get("marks"))
            instance = lines.instance(
                fields, key, conversation, without_references=without_references
            )
            if instance is None or fields.faults:
                continue
            if options.criterion is not None:
                chosen = (one for one in criteria if one[0].name == options.criterion)
                score, criteria = next(chosen, NO_JUDGMENT), []
            judgment, score_in_file = score
            candidate = CandidateRecord(
                key,
                instance,
                text,
                system,
                judgment.score,
                judgment.ratings,
                tuple(one for one, _ in criteria),
                marks,
                sampling,
                KeyRecord(answers, line) if options.keys else None,
            )
            collector.add_candidate(candidate, file.name, line, "id", score_in_file=score_in_file)
    lines.finish(options.criterion)


# A judgment, and whether its score is in the file rather than the mean of its ratings.
_Judgment = tuple[CriterionRecord, bool]
NO_JUDGMENT: _Judgment = (CriterionRecord("", None, None), False)


def by_workers(
    fields: Fields,
    collector: RecordCollector,
    name: str,
    allowed: frozenset[str],
    twice: str = "rates this candidate twice",
    *,
    both_orders: bool = False,
) -> Iterator[tuple[Fields, str, str, bool]]:
    """The objects of a list with one for each worker, with worker, group and `simulated`.

    both_orders: a worker may have one for each value of `first_shown`. Their faults count as those
    of `fields`."""
    items = fields.objects(name)
    if len(items) > collector.limits.max_ratings:
        limit = collector.limits.max_ratings
        fields.fault(name, f"{len(items):,} {name}; at most {limit:,} are allowed")
        return
    workers: set[tuple[str, int]] = set()
    for item in items:
        item.reject_unknown(allowed)
        worker = collector.pool.name(item.name("worker", required=True))
        group = collector.pool.name(item.name("group"))
        simulated = item.flag("simulated")
        shown = item.data.get("first_shown") if both_orders else None
        rated = worker, shown if type(shown) is int else 0
        if worker and rated in workers:
            item.fault("worker", f"{quote(worker)} {twice}")
        workers.add(rated)
        yield item, worker, group, simulated
        fields.faults += item.faults


def _ratings(
    fields: Fields, collector: RecordCollector, scale: Scale | None
) -> tuple[RatingRecord, ...]:
    ratings = []
    for item, worker, group, simulated in by_workers(fields, collector, "ratings", RATING_FIELDS):
        given = item.data.get("value", "")
        if given is None:
            collector.report.missing += 1
            continue
        value = None
        if isinstance(given, str) and isinstance(scale, WordScale):
            if given in scale.words:
                value = float(scale.words.index(given))
            else:
                item.fault("value", f"is {quote(given)}; {choices_of(scale.words, 'values')}")
        else:
            value = item.number("value", required=True)
        if value is not None:
            ratings.append(RatingRecord(worker, value, group, simulated))
    return tuple(ratings)


def _marks(fields: Fields, collector: RecordCollector, text: str) -> tuple[MarksRecord, ...]:
    marks = []
    for item, worker, group, simulated in by_workers(fields, collector, "marks", MARKS_FIELDS):
        spans = [_span(one, text) for one in item.objects("spans", required=True)]
        marks.append(MarksRecord(worker, tuple(filter(None, spans)), group, simulated))
    return tuple(marks)


def _span(fields: Fields, text: str) -> Span | None:
    """A span; None with a fault."""
    fields.reject_unknown(SPAN_FIELDS)
    start, end, severity = (fields.data.get(name) for name in ("start", "end", "severity"))
    return checked_span(fields, Span(start, end, severity, fields.texts("categories")), text)


def _sampling(fields: Fields) -> SamplingRecord | None:
    """How the candidate was drawn; None where it was not, or with a fault."""
    data = fields.data.get("sampling")
    if data is None:
        return None
    if type(data) is not dict:
        fields.fault("sampling", f"is {json_type(data)}; an object is expected")
        return None
    nested = fields.nested(data, "sampling.")
    nested.reject_unknown(SAMPLING_FIELDS)
    unit = nested.name("unit", required=True)
    values = data.get("probabilities")
    if type(values) is not list or not values:
        nested.fault("probabilities", "must be a list of one number or more")
        values = []
    probabilities = [parse_number(value) for value in values]
    for position, p in enumerate(probabilities):
        if isinstance(p, str):
            nested.fault(f"probabilities[{position}]", p)
        elif not 0 < p <= 1:
            nested.fault(f"probabilities[{position}]", f"is {p:g}; it must be above 0, at most 1")
    drawn = data.get("drawn")
    if drawn is not None and (type(drawn) is not int or drawn != len(values)):
        nested.fault("drawn", "must be null or the number of probabilities")
    fields.faults += nested.faults
    if nested.faults:
        return None
    return SamplingRecord(unit, tuple(p for p in probabilities if isinstance(p, float)), drawn)


class Lines:
    """Checks across lines: one scale for each criterion, and the same fields for each instance."""

    def __init__(self, collector: RecordCollector, options: ReadOptions) -> None:
        self._collector = collector
        self._without_references = options.without_references or options.for_ranking
        self._first_positions: dict[str, str] = {}
        # By criterion; "" is the score of a line.
        self._scales: dict[str, _ScaleCheck] = {}

    def instance(
        self,
        fields: Fields,
        candidate: str = "",
        conversation: Conversation | None = None,
        *,
        without_references: bool = False,
    ) -> InstanceRecord | None:
        """The instance of a line, maybe without references; None where the line has a fault.

        candidate: the key of the line's candidate.
        """
        faults = fields.faults
        pool = self._collector.pool
        references: tuple[str, ...] = ()
        may_be_without = without_references or self._without_references
        if fields.data.get("references") or not may_be_without:
            references = fields.references("references")
        passage = fields.text("passage")
        question = question_of(conversation) if conversation else fields.text("question")
        key = fields.name("instance", required=fields.data.get("instance") is not None)
        record = InstanceRecord(
            key or pool.key_of(passage, question, references, candidate, conversation),
            references,
            passage,
            question,
            pool.name(fields.name("constituent")),
            pool.name(fields.name("split")),
            pool.name(fields.name("category")),
            fields.text("short_answer"),
            conversation,
            named_by_file=bool(key),
        )
        if fields.faults != faults:
            return None
        shared = pool.share(record)
        position = f"{fields.file}:{fields.line}"
        first_position = self._first_positions.setdefault(record.key, position)
        if names := differing_fields(shared, record):
            others = f"another {', another '.join(names)} in {first_position}"
            fields.fault(names[0], f"instance {quote(record.key)} has {others}")
            return None
        return shared

    def criteria(self, fields: Fields) -> list[_Judgment]:
        """The judgments of a line on its criteria."""
        value = fields.data.get("criteria")
        if value is None:
            return []
        if type(value) is list:  # of Parquet
            value = {
                one.name("name", required=True): {
                    field: part for field, part in one.data.items() if field != "name"
                }
                for one in fields.objects("criteria")
            }
        if type(value) is not dict:
            fields.fault("criteria", f"is {json_type(value)}; an object is expected")
            return []
        judgments = []
        for name, data in value.items():
            path = f"criteria.{json_path_part(name)}"
            if reason := text_fault(name, self._collector.limits.max_name_chars):
                fields.fault(path, f"the name {reason}")
            elif not name.strip():
                fields.fault("criteria", "a criterion has no name")
            elif type(data) is not dict:
                fields.fault(path, f"is {json_type(data)}; an object is expected")
            else:
                nested = fields.nested(data, f"{path}.")
                nested.reject_unknown(CRITERION_FIELDS)
                judgments.append(self.judgment(nested, self._collector.pool.name(name)))
                fields.faults += nested.faults
        return judgments

    def judgment(self, fields: Fields, criterion: str = "") -> _Judgment:
        """The score and ratings of a line, or of its criterion, which must lie on the scale of all
        lines."""
        score = fields.number("score")
        stated = self._scales.setdefault(criterion, _ScaleCheck()).state(fields)
        ratings = _ratings(fields, self._collector, stated)
        if score is not None and not has_mean(stated):
            fields.fault("score", "words without an order have no score")
        values = [] if score is None else [("score", score)]
        values += [(f"ratings[{k}].value", rating.value) for k, rating in enumerate(ratings)]
        scale = self._scales[criterion].check(fields, values)
        record = CriterionRecord(criterion, scale, gold_score(score, ratings, scale), ratings)
        return record, score is not None

    def check_scale(self, fields: Fields, values: list[tuple[str, float]]) -> Scale | None:
        """The scale of a line, if it has one; the values are checked against that of the scores."""
        scales = self._scales.setdefault("", _ScaleCheck())
        scales.state(fields)
        return scales.check(fields, values)

    def finish(self, criterion: str | None = None) -> None:
        """Check the values of the lines before the first one with a scale; set the scale of the
        scores, or of the `criterion` that is read as the score."""
        for scale in self._scales.values():
            scale.finish(self._collector.problems)
        names = [name for name in self._scales if name]
        if criterion is not None and criterion not in names and self._collector.report.read:
            message = f"{quote(criterion)} is unknown; {choices_of(names, 'criteria')}"
            raise self._collector.problems.fatal("", None, "criterion", message)
        read = self._scales.get(criterion or "", _ScaleCheck())
        self._collector.scale = read.scale
        if read.scale is None and read.has_values:
            self._collector.note("The file has no scale.")
        if criterion is None:
            self._set_criterion_scales()

    def _set_criterion_scales(self) -> None:
        """Give each judgment on a criterion the scale of all lines, which a later line may have
        stated."""
        for position, candidate in enumerate(self._collector.candidates):
            if any(one.scale != self._scales[one.name].scale for one in candidate.criteria):
                self._collector.candidates[position] = replace(
                    candidate,
                    criteria=tuple(
                        replace(one, scale=self._scales[one.name].scale)
                        for one in candidate.criteria
                    ),
                )


class _ScaleCheck:
    """One scale of all lines, on which all values must lie."""

    def __init__(self) -> None:
        self.scale: Scale | None = None
        self.has_values = False
        self._position = ""
        # Values read before any line stated the scale.
        self._unchecked: list[tuple[str, int | None, list[tuple[str, float]]]] = []

    def check(self, fields: Fields, values: list[tuple[str, float]]) -> Scale | None:
        """Check the values of a line. Returns the scale as far as it is known."""
        self.has_values |= bool(values)
        if self.scale is None:
            if values:
                paths = [(fields.prefix + name, value) for name, value in values]
                self._unchecked.append((fields.file, fields.line, paths))
        else:
            for name, value in values:
                if fault := scale_fault(value, self.scale):
                    fields.fault(name, fault)
        return self.scale

    def state(self, fields: Fields) -> Scale | None:
        """Store the scale of a line, if it has one. Returns the scale as far as it is known."""
        scale_json, words = fields.data.get("scale"), fields.data.get("values")
        if words is not None and scale_json is not None:
            fields.fault("values", "cannot be with `scale`")
        elif words is not None:
            self._set(fields, "values", _words(words, is_ordered=fields.flag("ordered")))
        elif scale_json is not None:
            self._set(fields, "scale", _scale(scale_json))
        return self.scale

    def finish(self, problems: Problems) -> None:
        """Check the values of the lines before the first one with a scale."""
        if self.scale is None:
            return
        for file, line, values in self._unchecked:
            for path, value in values:
                if fault := scale_fault(value, self.scale):
                    problems.add(file, line, path, fault)

    def _set(self, fields: Fields, field: str, scale: Scale | str) -> None:
        if isinstance(scale, str):
            fields.fault(field, scale)
        elif self.scale is None and self._unchecked and isinstance(scale, WordScale):
            line = f"{self._unchecked[0][0]}:{self._unchecked[0][1]}"
            fields.fault(field, f"must be stated on the first line with ratings, {line}")
        elif self.scale is None:
            self.scale = scale
            self._position = f"{fields.file}:{fields.line}"
        elif scale != self.scale:
            one, other = scale_text(scale), scale_text(self.scale)
            fields.fault(field, f"is {one}, but {other} in {self._position}")


def _words(values: object, *, is_ordered: bool) -> WordScale | str:
    """A scale of words from its JSON, or the message of its fault."""
    is_list = isinstance(values, list) and all(isinstance(one, str) for one in values)
    if not isinstance(values, list) or not is_list or len(set(values)) < len(values) or not values:
        return "must be a list of words, which differ"
    if is_ordered and len(values) < 2:
        return "must be two words or more, to be in order"
    return WordScale(values, is_ordered)


def _scale(scale_json: Any) -> Scale | str:
    """A scale from its JSON, or the message of its fault."""
    if type(scale_json) is not list or len(scale_json) != 2:
        return "must be a list of two numbers, the lowest and the highest"
    low, high = parse_number(scale_json[0]), parse_number(scale_json[1])
    if isinstance(low, str):
        return f"the lowest {low}"
    if isinstance(high, str):
        return f"the highest {high}"
    return (low, high) if low < high else f"the lowest, {low:g}, is not below the highest, {high:g}"
