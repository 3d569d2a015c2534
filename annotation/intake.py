"""What a study takes in: candidates as plain records, and who can read files of them.

The readers of judgment files live in benchmarks, which annotation does not import: benchmarks
registers them here when the site starts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class InstanceInput:
    """A passage (may be empty), a question and its references."""

    key: str
    references: tuple[str, ...]
    passage: str = ""
    question: str = ""
    constituent: str = ""
    split: str = ""
    category: str = ""
    short_answer: str = ""


@dataclass(frozen=True, slots=True)
class CandidateInput:
    """One answer to be rated, or, with `expected`, one whose right value is known."""

    key: str
    instance: InstanceInput
    text: str
    system: str = ""
    expected: float | None = None


@dataclass(frozen=True, slots=True)
class PairInput:
    """A minimal pair to be rated: two answers to one instance, the first meant to be better."""

    key: str
    instance: InstanceInput
    better: str
    worse: str
    phenomenon: str = ""


class IntakeError(ValueError):
    """A file that cannot be taken in; the message names what and where, a problem a line."""


Reader = Callable[[Path], Sequence[CandidateInput]]
PairReader = Callable[[Path], Sequence[PairInput]]
_readers: dict[str, Reader] = {}
_pair_readers: dict[str, PairReader] = {}


def register_reader(format: str, reader: Reader) -> None:
    """Offer `format` on the upload page. A reader raises IntakeError for a faulty file."""
    _readers[format] = reader


def register_pair_reader(format: str, reader: PairReader) -> None:
    """Read minimal pairs of `format`. A reader raises IntakeError for a faulty file."""
    _pair_readers[format] = reader


def formats() -> list[str]:
    return sorted(_readers)


def read(path: Path, format: str) -> Sequence[CandidateInput]:
    """The candidates of a file. Raises IntakeError for a faulty file or an unknown format."""
    if format not in _readers:
        raise IntakeError(f"'{format}' is no format of candidates: {', '.join(formats())}.")
    return _readers[format](path)


def read_pairs(path: Path, format: str) -> Sequence[PairInput]:
    """The minimal pairs of a file. Raises IntakeError for a faulty file or an unknown format."""
    if format not in _pair_readers:
        known = ", ".join(sorted(_pair_readers))
        raise IntakeError(f"'{format}' is no format of minimal pairs: {known}.")
    return _pair_readers[format](path)
