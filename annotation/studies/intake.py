"""Candidates and minimal pairs read from a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from concord.formats import (
    FormatError,
    InstanceRecord,
    ReadOptions,
    read_judgments,
    read_pairs,
)

FORMATS = ("concord",)


@dataclass(frozen=True, slots=True)
class CandidateInput:
    """An answer to rate, or, with `expected`, an answer with a known correct rating."""

    key: str
    instance: InstanceRecord
    text: str
    system: str = ""
    expected: float | None = None


@dataclass(frozen=True, slots=True)
class PairInput:
    """A minimal pair to rate: two answers to one instance, the first one better."""

    key: str
    instance: InstanceRecord
    better: str
    worse: str
    phenomenon: str = ""


class IntakeError(ValueError):
    """A file that cannot be read. The message lists the problems, one per line."""


def read_candidates(path: Path, format: str) -> list[CandidateInput]:
    """The candidates of a file; their gold scores are the expected values.

    Raises IntakeError for an invalid file or an unknown format.
    """
    try:
        candidates = read_judgments([path], format).candidates
    except FormatError as error:
        raise IntakeError(_without_folder(error, path)) from error
    return [CandidateInput(c.key, c.instance, c.text, c.system, c.score) for c in candidates]


def read_rated_pairs(path: Path, format: str) -> list[PairInput]:
    """The minimal pairs of a file, with or without scores.

    Raises IntakeError for an invalid file or an unknown format.
    """
    try:
        pairs = read_pairs([path], format, ReadOptions(unscored_pairs=True)).pairs
    except FormatError as error:
        raise IntakeError(_without_folder(error, path)) from error
    return [PairInput(p.key, p.instance, p.candidate1, p.candidate2, p.phenomenon) for p in pairs]


def _without_folder(error: FormatError, path: Path) -> str:
    return str(error).replace(f"{path.parent}/", "")
