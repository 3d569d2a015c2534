"""Reader of Concord's JSON Lines: `concord-judgments` and `concord-pairs`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from concord.formats.collector import RecordCollector, Scale
from concord.formats.errors import quote
from concord.formats.fields import Fields, pair_scores, parse_number, scale_fault
from concord.formats.files import SourceFile
from concord.formats.instances import differing_fields, pair_key
from concord.formats.options import ReadOptions
from concord.formats.records import (
    CandidateRecord,
    InstanceRecord,
    PairRecord,
    RatingRecord,
    gold_score,
)

OPTIONS: frozenset[str] = frozenset()
PAIR_OPTIONS = frozenset({"unscored_pairs"})

INSTANCE_FIELDS = frozenset(
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
JUDGMENT_FIELDS = INSTANCE_FIELDS | {"id", "candidate", "system", "scale", "score", "ratings"}
REQUIRED_FIELDS = frozenset({"id", "references", "candidate"})
RATING_FIELDS = frozenset({"worker", "value", "group", "simulated"})
PAIR_FIELDS = INSTANCE_FIELDS | {
    "id",
    "candidate1",
    "score1",
    "candidate2",
    "score2",
    "phenomenon",
    "scale",
}


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read one candidate per line.

    Required: id, references, candidate. Optional fields may be absent or null. All lines of an
    instance must have the same instance fields, and all lines with a scale the same scale. Every
    score and rating must lie on it. Without `score` the gold score is the mean of `ratings`.
    """
    lines = _Lines(collector)
    for file in files:
        for line, data in file.objects(collector.problems):
            collector.count_row(file.name, line)
            fields = Fields(data, collector.problems, collector.limits, file.name, line)
            fields.reject_unknown(JUDGMENT_FIELDS)
            key = fields.name("id", required=True)
            text = fields.text("candidate", required=True)
            system = collector.pool.name(fields.name("system"))
            score = fields.number("score")
            ratings = _ratings(fields, collector)
            instance = lines.instance(fields)
            lines.check_scale(fields, _scale_values(score, ratings))
            if instance is None or fields.faults:
                continue
            score_in_file = score is not None
            candidate = CandidateRecord(
                key, instance, text, system, gold_score(score, ratings), ratings
            )
            collector.add_candidate(candidate, file.name, line, "id", score_in_file=score_in_file)
    lines.finish()


def read_pairs(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read one minimal pair per line.

    Required: references, candidate1, score1, candidate2, score2, with score1 above score2. With
    the option `unscored_pairs` both scores may be absent. Without `id` the key is a hash of the
    instance and both candidates.
    """
    lines = _Lines(collector)
    for file in files:
        for line, data in file.objects(collector.problems):
            collector.count_row(file.name, line)
            fields = Fields(data, collector.problems, collector.limits, file.name, line)
            fields.reject_unknown(PAIR_FIELDS)
            file_key = fields.name("id", required=data.get("id") is not None)
            instance = lines.instance(fields)
            first = fields.text("candidate1", required=True)
            second = fields.text("candidate2", required=True)
            unscored = options.unscored_pairs and data.get("score1") is data.get("score2") is None
            parsed_scores = None if unscored else pair_scores(fields)
            scores = (None, None) if unscored else parsed_scores
            phenomenon = collector.pool.name(fields.name("phenomenon"))
            lines.check_scale(
                fields, list(zip(("score1", "score2"), parsed_scores or (), strict=False))
            )
            if instance is None or scores is None or fields.faults:
                continue
            key = file_key or pair_key(instance, first, second)
            pair = PairRecord(key, instance, first, scores[0], second, scores[1], phenomenon)
            collector.add_pair(pair, file.name, line, "id")
    lines.finish()


def _scale_values(
    score: float | None, ratings: tuple[RatingRecord, ...]
) -> list[tuple[str, float]]:
    """The values of a line that must lie on the scale, with their paths."""
    values = [] if score is None else [("score", score)]
    return values + [(f"ratings[{k}].value", rating.value) for k, rating in enumerate(ratings)]


def _ratings(fields: Fields, collector: RecordCollector) -> tuple[RatingRecord, ...]:
    items = fields.objects("ratings")
    if len(items) > collector.limits.max_ratings:
        limit = collector.limits.max_ratings
        fields.fault("ratings", f"{len(items):,} ratings; at most {limit:,} are allowed")
        return ()
    ratings = []
    workers: set[str] = set()
    for item in items:
        item.reject_unknown(RATING_FIELDS)
        worker = collector.pool.name(item.name("worker", required=True))
        value = item.number("value", required=True)
        group = collector.pool.name(item.name("group"))
        simulated = item.flag("simulated")
        if worker and worker in workers:
            item.fault("worker", f"{quote(worker)} rates this candidate twice")
        workers.add(worker)
        fields.faults += item.faults
        if value is not None:
            ratings.append(RatingRecord(worker, value, group, simulated))
    return tuple(ratings)


class _Lines:
    """Checks across lines: one scale, and the same fields for each instance."""

    def __init__(self, collector: RecordCollector) -> None:
        self._collector = collector
        self._first_positions: dict[str, str] = {}
        self._scale_position = ""
        # Values read before any line stated the scale.
        self._unchecked: list[tuple[str, int | None, list[tuple[str, float]]]] = []

    def instance(self, fields: Fields) -> InstanceRecord | None:
        """The instance of a line; None where the line has a fault."""
        faults = fields.faults
        pool = self._collector.pool
        references = fields.references("references")
        passage = fields.text("passage")
        question = fields.text("question")
        key = fields.name("instance", required=fields.data.get("instance") is not None)
        record = InstanceRecord(
            key or pool.key_of(passage, question, references),
            references,
            passage,
            question,
            pool.name(fields.name("constituent")),
            pool.name(fields.name("split")),
            pool.name(fields.name("category")),
            fields.text("short_answer"),
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

    def check_scale(self, fields: Fields, values: list[tuple[str, float]]) -> None:
        """Store the scale of a line, if it has one, and check the line's values against the
        scale."""
        scale_json = fields.data.get("scale")
        if scale_json is not None:
            self._set_scale(fields, scale_json)
        scale = self._collector.scale
        if scale is None:
            self._unchecked.append((fields.file, fields.line, values))
            return
        for name, value in values:
            if fault := scale_fault(value, scale):
                fields.fault(name, fault)

    def _set_scale(self, fields: Fields, scale_json: Any) -> None:
        scale = _scale(scale_json)
        if isinstance(scale, str):
            fields.fault("scale", scale)
        elif self._collector.scale is None:
            self._collector.scale = scale
            self._scale_position = f"{fields.file}:{fields.line}"
        elif scale != self._collector.scale:
            first = self._collector.scale
            fields.fault(
                "scale",
                f"is {scale[0]:g} to {scale[1]:g}, but {first[0]:g} to {first[1]:g} in "
                f"{self._scale_position}",
            )

    def finish(self) -> None:
        """Check the values of the lines before the first one with a scale."""
        scale = self._collector.scale
        if scale is None:
            if any(values for _, _, values in self._unchecked):
                self._collector.note("The file has no scale.")
            return
        for file, line, values in self._unchecked:
            for name, value in values:
                if fault := scale_fault(value, scale):
                    self._collector.problems.add(file, line, name, fault)


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
