"""Concord's own JSON Lines: judgments (`concord-judgments`) and pairs (`concord-pairs`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from concord.formats.errors import quoted
from concord.formats.fields import Fields, finite, off_scale, pair_scores
from concord.formats.files import SourceFile
from concord.formats.instances import differing, pair_key
from concord.formats.options import ReadOptions
from concord.formats.reading import Reading, Scale
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


def read_judgments(reading: Reading, files: Sequence[SourceFile], options: ReadOptions) -> None:
    """Read lines of one candidate each.

    Required: id, references, candidate. Optional fields may be absent or null. The lines of
    one instance must agree on its fields, and all lines that state a scale on the scale; every
    score and rating must lie on it. Without `score` the gold is the mean of `ratings`.
    """
    lines = _Lines(reading)
    for file in files:
        for line, data in file.objects(reading.problems):
            reading.count_row(file.name, line)
            fields = Fields(data, reading.problems, reading.limits, file.name, line)
            fields.refuse_unknown(JUDGMENT_FIELDS)
            key = fields.name("id", required=True)
            text = fields.text("candidate", required=True)
            system = reading.pool.name(fields.name("system"))
            score = fields.number("score")
            ratings = _ratings(fields, reading)
            instance = lines.instance(fields)
            lines.check_scale(fields, _judged(score, ratings))
            if instance is None or fields.faults:
                continue
            given = score is not None
            candidate = CandidateRecord(
                key, instance, text, system, gold_score(score, ratings), ratings
            )
            reading.keep(candidate, file.name, line, "id", given=given)
    lines.finish()


def read_pairs(reading: Reading, files: Sequence[SourceFile], options: ReadOptions) -> None:
    """Read lines of one minimal pair each.

    Required: references, candidate1, score1, candidate2, score2, with score1 above score2; with
    the option `unscored_pairs` both scores may be absent. An `id` that is absent is a hash of the
    instance and both candidates.
    """
    lines = _Lines(reading)
    for file in files:
        for line, data in file.objects(reading.problems):
            reading.count_row(file.name, line)
            fields = Fields(data, reading.problems, reading.limits, file.name, line)
            fields.refuse_unknown(PAIR_FIELDS)
            given_key = fields.name("id", required=data.get("id") is not None)
            instance = lines.instance(fields)
            first = fields.text("candidate1", required=True)
            second = fields.text("candidate2", required=True)
            unscored = options.unscored_pairs and data.get("score1") is data.get("score2") is None
            stated = None if unscored else pair_scores(fields)
            scores = (None, None) if unscored else stated
            phenomenon = reading.pool.name(fields.name("phenomenon"))
            lines.check_scale(fields, list(zip(("score1", "score2"), stated or (), strict=False)))
            if instance is None or scores is None or fields.faults:
                continue
            key = given_key or pair_key(instance, first, second)
            pair = PairRecord(key, instance, first, scores[0], second, scores[1], phenomenon)
            reading.keep_pair(pair, file.name, line, "id")
    lines.finish()


def _judged(score: float | None, ratings: tuple[RatingRecord, ...]) -> list[tuple[str, float]]:
    """The values of a line that must lie on the scale, with their paths."""
    values = [] if score is None else [("score", score)]
    return values + [(f"ratings[{k}].value", rating.value) for k, rating in enumerate(ratings)]


def _ratings(fields: Fields, reading: Reading) -> tuple[RatingRecord, ...]:
    given = fields.objects("ratings")
    if len(given) > reading.limits.max_ratings:
        limit = reading.limits.max_ratings
        fields.fault("ratings", f"{len(given):,} ratings; at most {limit:,} are taken")
        return ()
    ratings = []
    workers: set[str] = set()
    for item in given:
        item.refuse_unknown(RATING_FIELDS)
        worker = reading.pool.name(item.name("worker", required=True))
        value = item.number("value", required=True)
        group = reading.pool.name(item.name("group"))
        simulated = item.flag("simulated")
        if worker and worker in workers:
            item.fault("worker", f"{quoted(worker)} rates this candidate twice")
        workers.add(worker)
        fields.faults += item.faults
        if value is not None:
            ratings.append(RatingRecord(worker, value, group, simulated))
    return tuple(ratings)


class _Lines:
    """What the lines of the files must agree on: the scale, and the fields of an instance."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._places: dict[str, str] = {}
        self._scale_place = ""
        # Values read before any line stated the scale.
        self._waiting: list[tuple[str, int | None, list[tuple[str, float]]]] = []

    def instance(self, fields: Fields) -> InstanceRecord | None:
        """The instance of a line, or None when the line is at fault."""
        faults = fields.faults
        pool = self._reading.pool
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
        held = pool.share(record)
        here = f"{fields.file}:{fields.line}"
        place = self._places.setdefault(record.key, here)
        if names := differing(held, record):
            fields.fault(
                names[0],
                f"instance {quoted(record.key)} has another {', another '.join(names)} in {place}",
            )
            return None
        return held

    def check_scale(self, fields: Fields, values: list[tuple[str, float]]) -> None:
        """Take up the scale that a line states, and hold the line's values against it."""
        stated = fields.data.get("scale")
        if stated is not None:
            self._take(fields, stated)
        scale = self._reading.scale
        if scale is None:
            self._waiting.append((fields.file, fields.line, values))
            return
        for name, value in values:
            if fault := off_scale(value, scale):
                fields.fault(name, fault)

    def _take(self, fields: Fields, stated: Any) -> None:
        scale = _scale(stated)
        if isinstance(scale, str):
            fields.fault("scale", scale)
        elif self._reading.scale is None:
            self._reading.scale = scale
            self._scale_place = f"{fields.file}:{fields.line}"
        elif scale != self._reading.scale:
            first = self._reading.scale
            fields.fault(
                "scale",
                f"is {scale[0]:g} to {scale[1]:g}, but {first[0]:g} to {first[1]:g} in "
                f"{self._scale_place}",
            )

    def finish(self) -> None:
        """Check the values that came before the scale."""
        scale = self._reading.scale
        if scale is None:
            if any(values for _, _, values in self._waiting):
                self._reading.note("The file states no scale.")
            return
        for file, line, values in self._waiting:
            for name, value in values:
                if fault := off_scale(value, scale):
                    self._reading.problems.add(file, line, name, fault)


def _scale(stated: Any) -> Scale | str:
    """A scale from its JSON, or what is wrong with it."""
    if type(stated) is not list or len(stated) != 2:
        return "is not a list of two numbers, the lowest and the highest"
    low, high = finite(stated[0]), finite(stated[1])
    if isinstance(low, str):
        return f"the lowest {low}"
    if isinstance(high, str):
        return f"the highest {high}"
    return (low, high) if low < high else f"the lowest, {low:g}, is not below the highest, {high:g}"
