"""MOCHA's JSON documents (Chen et al., EMNLP 2020): judgments, unlabelled answers, pairs.

A document is `{constituent: {id: entry}}`. An entry of train and dev has context, question,
reference, candidate, score and metadata {scores, source}; test_no_labels has no scores;
minimal_pairs has candidate1, score1, candidate2, score2 instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from concord.formats.errors import listed, path_part
from concord.formats.fields import Fields, finite, kind, off_scale, pair_scores, text_fault
from concord.formats.files import SourceFile
from concord.formats.options import ReadOptions
from concord.formats.reading import Reading, Scale
from concord.formats.records import (
    CandidateRecord,
    InstanceRecord,
    PairRecord,
    RatingRecord,
    gold_score,
)

OPTIONS = frozenset({"split"})

SCALE: Scale = (1.0, 5.0)

_ENTRY_FIELDS = {"context", "question", "reference", "candidate", "score", "metadata"}
_PAIR_FIELDS = {"context", "question", "reference", "candidate1", "candidate2", "score1", "score2"}
_SPLIT = re.compile(r"(?<![a-z])(train|dev|val|valid|validation|test)(?![a-z])")


def read_judgments(reading: Reading, files: Sequence[SourceFile], options: ReadOptions) -> None:
    """Read labelled and unlabelled entries; the id is `constituent/id`, the scale 1 to 5.

    `metadata.scores` become ratings of r1, r2, ... and `metadata.source` the system. Without
    `score` the gold is the mean of the ratings; without both the candidate is unjudged. The
    split of a file comes from `options.split`, else from its name.
    """
    reading.scale = SCALE
    for file in files:
        split = _split_of(file, reading, options)
        unread: set[str] = set()
        for constituent, key, fields in _entries(reading, file):
            unread |= fields.data.keys() - _ENTRY_FIELDS
            instance = _instance(reading, fields, constituent, split)
            text = fields.text("candidate", required=True)
            source, ratings = _metadata(reading, fields)
            score = fields.number("score")
            if score is not None and (fault := off_scale(score, SCALE)):
                fields.fault("score", fault)
            if fields.faults:
                continue
            given = score is not None
            candidate = CandidateRecord(
                key, instance, text, source, gold_score(score, ratings), ratings
            )
            reading.keep(candidate, file.name, None, fields.prefix[:-1], given=given)
        if unread:
            reading.note(f"{file.name}: fields not read: {listed(sorted(unread))}.")
    if reading.report.ratings:
        reading.note(
            "The files do not name their workers: r1 is the first rating of a candidate, "
            "not one person."
        )


def read_pairs(reading: Reading, files: Sequence[SourceFile], options: ReadOptions) -> None:
    """Read minimal pairs; the id is `constituent/id`, the scale 1 to 5, score1 above score2."""
    reading.scale = SCALE
    for file in files:
        unread: set[str] = set()
        for constituent, key, fields in _entries(reading, file):
            unread |= fields.data.keys() - _PAIR_FIELDS
            instance = _instance(reading, fields, constituent, options.split or "")
            first = fields.text("candidate1", required=True)
            second = fields.text("candidate2", required=True)
            scores = pair_scores(fields)
            for name, value in zip(("score1", "score2"), scores or (), strict=False):
                if fault := off_scale(value, SCALE):
                    fields.fault(name, fault)
            if scores is None or fields.faults:
                continue
            pair = PairRecord(key, instance, first, scores[0], second, scores[1])
            reading.keep_pair(pair, file.name, None, fields.prefix[:-1])
        if unread:
            reading.note(f"{file.name}: fields not read: {listed(sorted(unread))}.")


def _entries(reading: Reading, file: SourceFile) -> Iterator[tuple[str, str, Fields]]:
    """(constituent, candidate key, fields) of every entry that is an object."""
    document = file.document(reading.problems)
    problems = reading.problems
    if type(document) is not dict:
        message = f"is {kind(document)}; an object of constituents is expected"
        raise problems.stop(file.name, None, None, message)
    for constituent, entries in document.items():
        if type(entries) is not dict:
            message = f"is {kind(entries)}; an object of entries by id is expected"
            problems.add(file.name, None, path_part(constituent), message)
            continue
        for name, entry in entries.items():
            reading.count_row(file.name)
            path = f"{path_part(constituent)}.{path_part(name)}"
            key = f"{constituent}/{name}"
            if type(entry) is not dict:
                problems.add(file.name, None, path, f"is {kind(entry)}; an object is expected")
            elif fault := text_fault(key, reading.limits.max_name_chars):
                problems.add(file.name, None, path, f"the id {fault}")
            else:
                fields = Fields(entry, problems, reading.limits, file.name, None, f"{path}.")
                yield constituent, key, fields


def _instance(reading: Reading, fields: Fields, constituent: str, split: str) -> InstanceRecord:
    passage = fields.text("context", required=True)
    question = fields.text("question", required=True)
    references = (fields.text("reference", required=True),)
    key = reading.pool.key_of(passage, question, references)
    return reading.pool.share_apart(
        InstanceRecord(key, references, passage, question, reading.pool.name(constituent), split)
    )


def _metadata(reading: Reading, fields: Fields) -> tuple[str, tuple[RatingRecord, ...]]:
    """The system and the ratings of an entry, each empty where the file has none."""
    data = fields.data.get("metadata")
    if data is None:
        return "", ()
    if type(data) is not dict:
        fields.fault("metadata", f"is {kind(data)}; an object is expected")
        return "", ()
    inner = fields.below(data, "metadata.")
    source = reading.pool.name(inner.name("source"))
    scores = data.get("scores") or []
    ratings = []
    if type(scores) is not list:
        inner.fault("scores", f"is {kind(scores)}; a list of numbers is expected")
    elif len(scores) > reading.limits.max_ratings:
        limit = reading.limits.max_ratings
        inner.fault("scores", f"{len(scores):,} ratings; at most {limit:,} are taken")
    else:
        for position, value in enumerate(scores):
            number = finite(value)
            fault = number if isinstance(number, str) else off_scale(number, SCALE)
            if fault or isinstance(number, str):
                inner.fault(f"scores[{position}]", fault or "")
            else:
                ratings.append(RatingRecord(reading.pool.name(f"r{position + 1}"), number))
    fields.faults += inner.faults
    return source, tuple(ratings)


def _split_of(file: SourceFile, reading: Reading, options: ReadOptions) -> str:
    if options.split is not None:
        return options.split
    found = set(_SPLIT.findall(Path(file.name).stem.casefold()))
    names = {"dev" if name.startswith("val") else name for name in found}
    if len(names) == 1:
        return names.pop()
    reading.note(f"{file.name}: the name does not tell the split; it is left empty.")
    return ""
