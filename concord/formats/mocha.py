"""Reader of MOCHA (Chen et al., EMNLP 2020): judgments, unlabelled answers, minimal pairs.

A document is `{constituent: {id: entry}}`. An entry of train and dev has context, question,
reference, candidate, score and metadata {scores, source}; test_no_labels has no scores;
minimal_pairs has candidate1, score1, candidate2, score2 instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from concord.formats.collector import RecordCollector, Scale
from concord.formats.errors import json_path_part
from concord.formats.fields import (
    Fields,
    json_type,
    pair_scores,
    parse_number,
    scale_fault,
    text_fault,
)
from concord.formats.files import SourceFile
from concord.formats.options import ReadOptions
from concord.formats.records import (
    CandidateRecord,
    InstanceRecord,
    PairRecord,
    RatingRecord,
    gold_score,
)

OPTIONS = frozenset({"split"})

SCALE: Scale = (1.0, 5.0)

_INSTANCE = {"context": "passage", "question": "question", "reference": "reference"}
_ENTRY = _INSTANCE | {"candidate": "candidate", "score": "score", "metadata": "ratings and system"}
_SCORES = ("candidate1", "candidate2", "score1", "score2")
_PAIR = _INSTANCE | {name: name for name in _SCORES}
# The fields of an entry begin with the names of its constituent and candidate.
_PATH = "*.*."
_SPLIT = re.compile(r"(?<![a-z])(train|dev|val|valid|validation|test)(?![a-z])")


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read labelled and unlabelled entries; the id is `constituent/id`, the scale 1 to 5.

    `metadata.scores` become ratings of r1, r2, ... and `metadata.source` the system. Without
    `score` the gold is the mean of the ratings; without both the candidate is unjudged. The
    split of a file comes from `options.split`, else from its name.
    """
    collector.scale = SCALE
    for file in files:
        split = _split_of(file, collector, options)
        for constituent, key, fields in _entries(collector, file):
            collector.report.see(fields.data, _ENTRY, _PATH)
            instance = _instance(collector, fields, constituent, split)
            text = fields.text("candidate", required=True)
            source, ratings = _metadata(collector, fields)
            score = fields.number("score")
            if score is not None and (fault := scale_fault(score, SCALE)):
                fields.fault("score", fault)
            if fields.faults:
                continue
            score_in_file = score is not None
            candidate = CandidateRecord(
                key, instance, text, source, gold_score(score, ratings), ratings
            )
            collector.add_candidate(
                candidate, file.name, None, fields.prefix[:-1], score_in_file=score_in_file
            )
    if collector.report.ratings:
        collector.note(
            "The files do not name workers: r1 is the first rating of each candidate, "
            "not one person."
        )


def read_pairs(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read minimal pairs; the id is `constituent/id`, the scale 1 to 5, score1 above score2."""
    collector.scale = SCALE
    for file in files:
        for constituent, key, fields in _entries(collector, file):
            collector.report.see(fields.data, _PAIR, _PATH)
            instance = _instance(collector, fields, constituent, options.split or "")
            first = fields.text("candidate1", required=True)
            second = fields.text("candidate2", required=True)
            scores = pair_scores(fields)
            for name, value in zip(("score1", "score2"), scores or (), strict=False):
                if fault := scale_fault(value, SCALE):
                    fields.fault(name, fault)
            if scores is None or fields.faults:
                continue
            pair = PairRecord(key, instance, first, scores[0], second, scores[1])
            collector.add_pair(pair, file.name, None, fields.prefix[:-1])


def _entries(collector: RecordCollector, file: SourceFile) -> Iterator[tuple[str, str, Fields]]:
    """(constituent, candidate key, fields) of every entry that is an object."""
    document = file.document(collector.problems)
    problems = collector.problems
    if type(document) is not dict:
        message = f"is {json_type(document)}; an object of constituents is expected"
        raise problems.fatal(file.name, None, None, message)
    for constituent, entries in document.items():
        if type(entries) is not dict:
            message = f"is {json_type(entries)}; an object of entries by id is expected"
            problems.add(file.name, None, json_path_part(constituent), message)
            continue
        for name, entry in entries.items():
            collector.count_row(file.name)
            path = f"{json_path_part(constituent)}.{json_path_part(name)}"
            key = f"{constituent}/{name}"
            if type(entry) is not dict:
                problems.add(file.name, None, path, f"is {json_type(entry)}; an object is expected")
            elif fault := text_fault(key, collector.limits.max_name_chars):
                problems.add(file.name, None, path, f"the id {fault}")
            else:
                fields = Fields(entry, problems, collector.limits, file.name, None, f"{path}.")
                yield constituent, key, fields


def _instance(
    collector: RecordCollector, fields: Fields, constituent: str, split: str
) -> InstanceRecord:
    passage = fields.text("context", required=True)
    question = fields.text("question", required=True)
    references = (fields.text("reference", required=True),)
    key = collector.pool.key_of(passage, question, references)
    return collector.pool.share_or_add(
        InstanceRecord(key, references, passage, question, collector.pool.name(constituent), split)
    )


def _metadata(collector: RecordCollector, fields: Fields) -> tuple[str, tuple[RatingRecord, ...]]:
    """The system and the ratings of an entry; empty where the file has none."""
    data = fields.data.get("metadata")
    if data is None:
        return "", ()
    if type(data) is not dict:
        fields.fault("metadata", f"is {json_type(data)}; an object is expected")
        return "", ()
    collector.report.see(data, {"scores": "ratings", "source": "system"}, f"{_PATH}metadata.")
    inner = fields.nested(data, "metadata.")
    source = collector.pool.name(inner.name("source"))
    scores = data.get("scores") or []
    ratings = []
    if type(scores) is not list:
        inner.fault("scores", f"is {json_type(scores)}; a list of numbers is expected")
    elif len(scores) > collector.limits.max_ratings:
        limit = collector.limits.max_ratings
        inner.fault("scores", f"{len(scores):,} ratings; at most {limit:,} are allowed")
    else:
        for position, value in enumerate(scores):
            number = parse_number(value)
            fault = number if isinstance(number, str) else scale_fault(number, SCALE)
            if fault or isinstance(number, str):
                inner.fault(f"scores[{position}]", fault or "")
            else:
                ratings.append(RatingRecord(collector.pool.name(f"r{position + 1}"), number))
    fields.faults += inner.faults
    return source, tuple(ratings)


def _split_of(file: SourceFile, collector: RecordCollector, options: ReadOptions) -> str:
    if options.split is not None:
        return options.split
    matches = set(_SPLIT.findall(Path(file.name).stem.casefold()))
    names = {"dev" if name.startswith("val") else name for name in matches}
    if len(names) == 1:
        return names.pop()
    collector.note(f"{file.name}: the file name does not contain the split; it is left empty.")
    return ""
