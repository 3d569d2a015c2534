"""Candidates and minimal pairs read from a file: in Concord's format, or a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from concord.formats import (
    TABLE,
    FormatError,
    InstanceRecord,
    Limits,
    ReadOptions,
    detect_format,
    read_judgments,
    read_pairs,
)
from concord.formats.limits import MAX_UNPACKED_IN_REQUEST
from concord.formats.records import Choice
from concord.formats.tables import KINDS, Preview, preview_table

CONCORD = "concord"
# The kinds of tables are formats by themselves.
FORMATS = (CONCORD, *KINDS)
MAX_ROWS = 200_000
# A page reads the whole file.
LIMITS = Limits(max_rows=MAX_ROWS, max_unpacked_bytes=MAX_UNPACKED_IN_REQUEST)


@dataclass(frozen=True, slots=True)
class CandidateInput:
    """An answer to rate, or a test item: `expected` and `answers` are its correct answers.

    line: in the file; None where it is in none.
    """

    key: str
    instance: InstanceRecord
    text: str
    system: str = ""
    expected: float | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = None


@dataclass(frozen=True, slots=True)
class KeyedPairInput:
    """A pair with its correct choice and correct answers to criteria; a test item of a study that
    compares pairs. `choice` is None where only criteria have a key."""

    key: str
    instance: InstanceRecord
    texts: tuple[str, str]
    systems: tuple[str, str] = ("", "")
    choice: Choice | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = None


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


def format_of(path: Path) -> str:
    """The format of a file by its content: "concord", or the kind of its table.

    Raises IntakeError for a file that is no text and no table.
    """
    try:
        if detect_format(path, LIMITS) == TABLE:
            return preview_table(path, limits=LIMITS).kind
        return CONCORD
    except FormatError as error:
        raise IntakeError(_without_folder(error, path)) from error


def read_preview(path: Path, sheet: str | None = None) -> Preview:
    """The headings and first rows of a table. Raises IntakeError."""
    try:
        return preview_table(path, sheet, LIMITS)
    except FormatError as error:
        raise IntakeError(_without_folder(error, path)) from error


def read_candidates(
    path: Path,
    format: str,
    columns: Sequence[str] = (),
    sheet: str | None = None,
    *,
    keys: bool = False,
) -> list[CandidateInput]:
    """The candidates of a file; their gold scores are the expected values.

    `columns` is the meaning of each column of a table. `keys`: the file may have correct answers to
    criteria. Raises IntakeError for an invalid file or an unknown format.
    """
    try:
        if format == CONCORD:
            candidates = read_judgments([path], format, ReadOptions(keys=keys)).candidates
        else:
            options = ReadOptions(columns=tuple(columns), sheet=sheet or None, keys=keys)
            candidates = read_judgments([path], TABLE, options, LIMITS).candidates
    except FormatError as error:
        raise IntakeError(_without_folder(error, path)) from error
    return [
        CandidateInput(
            c.key,
            c.instance,
            c.text,
            c.system,
            c.score,
            c.test_key.answers if c.test_key else {},
            c.test_key.line if c.test_key else None,
        )
        for c in candidates
    ]


def read_keyed_pairs(path: Path, format: str) -> list[KeyedPairInput]:
    """The pairs of a file with their correct choices and answers.

    Raises IntakeError for an invalid file or an unknown format.
    """
    try:
        pairs = read_pairs([path], format, ReadOptions(unscored_pairs=True, keys=True)).pairs
    except FormatError as error:
        raise IntakeError(_without_folder(error, path)) from error
    return [
        KeyedPairInput(
            p.key,
            p.instance,
            (p.candidate1, p.candidate2),
            p.systems,
            p.test_key.choice,
            p.test_key.answers,
            p.test_key.line,
        )
        for p in pairs
        if p.test_key is not None
    ]


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
