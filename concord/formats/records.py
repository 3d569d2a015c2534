"""The records that every reader returns and every writer takes, and the report of an import."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from concord.formats.documents import ImportReportRow


@dataclass(frozen=True, slots=True, weakref_slot=True)
class InstanceRecord:
    """A passage (may be empty), a question and its references.

    The readers return one object per distinct instance, shared by its candidates, and share a
    passage's text among the instances that have it. `named_by_file` is True where `key` is the
    name that the file gives the instance, False where it is a hash made by the reader or where
    that is not known. It does not count in comparisons.
    """

    key: str
    references: tuple[str, ...]
    passage: str = ""
    question: str = ""
    constituent: str = ""
    split: str = ""
    category: str = ""
    short_answer: str = ""
    named_by_file: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, row: Any) -> InstanceRecord:
        """From an object with the same fields but `named_by_file`, as tables of instances have."""
        return cls(
            key=row.key,
            references=tuple(row.references),
            passage=row.passage,
            question=row.question,
            constituent=row.constituent,
            split=row.split,
            category=row.category,
            short_answer=row.short_answer,
        )


@dataclass(frozen=True, slots=True)
class RatingRecord:
    """One worker's value for one candidate; `group` names the pool of raters, if any."""

    worker: str
    value: float
    group: str = ""
    simulated: bool = False


def gold_score(score: float | None, ratings: Iterable[RatingRecord]) -> float | None:
    """A candidate's gold score: its own, else the mean of its ratings; None where it has neither.

    This is the one rule of every reader, and so of every training.
    """
    if score is not None:
        return score
    values = [rating.value for rating in ratings]
    return fsum(values) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """One generated answer. `score` is its gold score; None when nobody judged it."""

    key: str
    instance: InstanceRecord
    text: str
    system: str = ""
    score: float | None = None
    ratings: tuple[RatingRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class PairRecord:
    """A minimal pair: two candidates to one instance, people scoring the first higher.

    The scores are None in a file of pairs that are still to be rated.
    """

    key: str
    instance: InstanceRecord
    candidate1: str
    score1: float | None
    candidate2: str
    score2: float | None
    phenomenon: str = ""


@dataclass
class ImportReport:
    """What was read, kept and left out, in counts and in sentences.

    `read` counts the candidates (or pairs) that the files hold; `read == kept +
    sum(left_out.values())`. `gold_given` of the kept ones have the file's own score,
    `gold_from_ratings` a mean of their ratings, `without_judgment` neither. `criterion` is the
    quality that was judged, where the file holds several.
    """

    files: list[str]
    format: str
    counted: str = "candidates"
    read: int = 0
    kept: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    instances: int = 0
    ratings: int = 0
    empty_candidates: int = 0
    without_judgment: int = 0
    gold_given: int = 0
    gold_from_ratings: int = 0
    criterion: str = ""
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> ImportReportRow:
        return {
            "files": list(self.files),
            "format": self.format,
            "counted": self.counted,
            "read": self.read,
            "kept": self.kept,
            "left_out": dict(self.left_out),
            "instances": self.instances,
            "ratings": self.ratings,
            "empty_candidates": self.empty_candidates,
            "without_judgment": self.without_judgment,
            "gold_given": self.gold_given,
            "gold_from_ratings": self.gold_from_ratings,
            "criterion": self.criterion,
            "notes": list(self.notes),
        }

    def lines(self) -> list[str]:
        """The report for a terminal."""
        files = self.files[0] if len(self.files) == 1 else f"{len(self.files)} files"
        ratings = f"; single ratings: {self.ratings:,}" if self.ratings else ""
        lines = [
            f"{files} ({self.format}): {self.read:,} {self.counted} read, {self.kept:,} kept; "
            f"instances: {self.instances:,}{ratings}."
        ]
        lines += [f"Left out: {count:,}, {reason}." for reason, count in self.left_out.items()]
        if self.criterion:
            lines.append(f"Judged quality: {self.criterion}.")
        if self.empty_candidates:
            lines.append(f"Empty candidates, kept: {self.empty_candidates:,}.")
        if self.counted == "candidates":
            lines.append(
                f"Gold scores: {self.gold_given:,} from the file, {self.gold_from_ratings:,} means "
                f"of ratings; without judgment: {self.without_judgment:,}."
            )
        return lines + self.notes


@dataclass
class JudgmentFile:
    """Candidates with their judgments; `scale` is (lowest, highest), None when not stated."""

    candidates: list[CandidateRecord]
    scale: tuple[float, float] | None
    report: ImportReport


@dataclass
class PairFile:
    """Minimal pairs; `scale` is (lowest, highest), None when not stated."""

    pairs: list[PairRecord]
    scale: tuple[float, float] | None
    report: ImportReport


__all__ = [
    "CandidateRecord",
    "ImportReport",
    "InstanceRecord",
    "JudgmentFile",
    "PairFile",
    "PairRecord",
    "RatingRecord",
    "gold_score",
]
