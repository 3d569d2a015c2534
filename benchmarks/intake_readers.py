"""The readers of judgment files, for the studies of annotation, which does not know them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from annotation import intake
from annotation.intake import CandidateInput, InstanceInput, IntakeError, PairInput
from concord.formats import FormatError, read_judgments, read_pairs
from concord.formats.records import InstanceRecord

FORMAT = "concord"


def register() -> None:
    """Offer Concord's own JSON Lines to studies."""
    intake.register_reader(FORMAT, candidates)
    intake.register_pair_reader(FORMAT, pairs)


def candidates(path: Path) -> Sequence[CandidateInput]:
    """A study's candidates from concord-judgments; their gold scores are the right values."""
    try:
        found = read_judgments([path], FORMAT).candidates
    except FormatError as error:
        raise IntakeError(_without_folder(error, path)) from error
    instance = cache(_instance)
    return [CandidateInput(c.key, instance(c.instance), c.text, c.system, c.score) for c in found]


def pairs(path: Path) -> Sequence[PairInput]:
    """Minimal pairs to be rated from concord-pairs, whose scores may be absent."""
    scored = path.with_name("scored") / path.name
    scored.parent.mkdir()
    scored.write_bytes(b"\n".join(map(_scored, path.read_bytes().split(b"\n"))))
    try:
        found = read_pairs([scored], FORMAT).pairs
    except FormatError as error:
        raise IntakeError(_without_folder(error, scored)) from error
    instance = cache(_instance)
    return [
        PairInput(p.key, instance(p.instance), p.candidate1, p.candidate2, p.phenomenon)
        for p in found
    ]


def _scored(line: bytes) -> bytes:
    """A pair's line with scores that say only which is meant to be better, where it has none."""
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):  # the reader says what is wrong with it
        return line
    if not isinstance(given, dict) or any(given.get(f"score{n}") is not None for n in (1, 2)):
        return line
    return json.dumps({**given, "score1": 1, "score2": 0, "scale": None}).encode()


def _instance(record: InstanceRecord) -> InstanceInput:
    return InstanceInput(
        key=record.key,
        references=record.references,
        passage=record.passage,
        question=record.question,
        constituent=record.constituent,
        split=record.split,
        category=record.category,
        short_answer=record.short_answer,
    )


def _without_folder(error: FormatError, path: Path) -> str:
    return str(error).replace(f"{path.parent}/", "")
