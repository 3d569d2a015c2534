"""Records of readers and writers, and the report of an import."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any, Literal

from concord.documents.import_report import ImportReportRow


@dataclass(frozen=True, slots=True, weakref_slot=True)
class InstanceRecord:
    """A passage (may be empty), a question and its references.

    Readers return one object per distinct instance, shared by its candidates; instances with the
    same passage share its text. `named_by_file`: `key` is a name from the file, not a hash; it is
    ignored in comparisons.
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
    def from_row(cls, row: Any) -> InstanceRecord:
        """From an object with these fields except `named_by_file`, such as a database row."""
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
    """One worker's value for one candidate; `group` names the group of raters, if any."""

    worker: str
    value: float
    group: str = ""
    simulated: bool = False


def gold_score(score: float | None, ratings: Iterable[RatingRecord]) -> float | None:
    """A candidate's gold score: its own, else the mean of its ratings, else None.

    All readers follow this rule.
    """
    if score is not None:
        return score
    values = [rating.value for rating in ratings]
    return fsum(values) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class CriterionRecord:
    """A candidate's judgment on one of several criteria; fields as those of the candidate.

    `scale` is (lowest, highest), None where unknown; it is the same for all candidates.
    """

    name: str
    scale: tuple[float, float] | None
    score: float | None
    ratings: tuple[RatingRecord, ...] = ()


MINOR, MAJOR, CRITICAL = "minor", "major", "critical"
SEVERITIES = (MINOR, MAJOR, CRITICAL)


@dataclass(frozen=True, slots=True)
class Span:
    """An error. start, end: characters [start, end) of the answer, or None where the rater says
    that something is missing. severity: one of SEVERITIES, or None where undecided."""

    start: int | None
    end: int | None
    severity: str | None
    categories: tuple[str, ...] = ()

    @classmethod
    def from_row(cls, row: Any) -> Span:
        """From the fields that `concord_writer.span_row` returns."""
        categories = tuple(row.get("categories", ()))
        return cls(row["start"], row["end"], row["severity"], categories)

    @property
    def characters(self) -> range:
        """The characters it covers; none without a position."""
        return range(0) if self.start is None or self.end is None else range(self.start, self.end)


@dataclass(frozen=True, slots=True)
class MarksRecord:
    """The errors that one worker marked in a candidate; without spans, the worker found none."""

    worker: str
    spans: tuple[Span, ...]
    group: str = ""
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class SamplingRecord:
    """How it was decided whether people rate a candidate.

    unit: candidates with the same unit are drawn together. probabilities: of being drawn, in
    (0, 1], in each wave up to the one that drew it. drawn: that wave, from 1, so the number of
    probabilities; None where it was not drawn.
    """

    unit: str
    probabilities: tuple[float, ...]
    drawn: int | None = None


def has_unequal_draws(probabilities: Iterable[Sequence[float]]) -> bool:
    """Whether candidates, each with its probabilities, had different ones in any wave."""
    by_wave: dict[int, float] = {}
    return any(
        abs(by_wave.setdefault(wave, p) - p) > 1e-12
        for each in probabilities
        for wave, p in enumerate(each)
    )


Choice = Literal[1, 2, "tie"]


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """The correct answers of a test item, besides a candidate's score.

    answers: to criteria, by name, as the file has them. choice: of a pair, None where the file has
    none. line: in the file.
    """

    answers: Mapping[str, Any]
    line: int | None
    choice: Choice | None = None


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """One generated answer. `score` is its gold score; None where it is not judged.

    `criteria`: judgments on further criteria, each with a name, in the order of the file.
    `sampling`: None where candidates were not sampled. `test_key`: None unless keys are read.
    """

    key: str
    instance: InstanceRecord
    text: str
    system: str = ""
    score: float | None = None
    ratings: tuple[RatingRecord, ...] = ()
    criteria: tuple[CriterionRecord, ...] = ()
    marks: tuple[MarksRecord, ...] = ()
    sampling: SamplingRecord | None = None
    test_key: KeyRecord | None = None

    @property
    def ratings_by_criterion(self) -> list[tuple[str, tuple[RatingRecord, ...]]]:
        """The ratings of the score, whose criterion is "", and of each criterion by its name."""
        return [("", self.ratings), *((one.name, one.ratings) for one in self.criteria)]


def criteria_scales(
    candidates: Iterable[CandidateRecord],
) -> dict[str, tuple[float, float] | None]:
    """The names of all criteria in the order of their first judgments, with their scales."""
    scales: dict[str, tuple[float, float] | None] = {}
    for candidate in candidates:
        for one in candidate.criteria:
            scales[one.name] = scales.get(one.name) or one.scale
    return scales


@dataclass(frozen=True, slots=True)
class ChoiceRecord:
    """The candidate of a pair that one worker prefers, or a tie.

    first_shown: which candidate was shown first (on the left), 1 or 2; None where unknown. is_hard:
    the worker said that it was hard to choose.
    """

    worker: str
    choice: Choice
    first_shown: int | None = None
    group: str = ""
    simulated: bool = False
    is_hard: bool = False


@dataclass(frozen=True, slots=True)
class PairRecord:
    """Two candidates to one instance: a minimal pair, or a pair between which people chose.

    In a minimal pair people score the first higher; the scores are None where it is not rated yet.
    In a pair with `choices` the scores, if any, are the candidates' gold scores in any order.
    systems: those of the candidates, "" where unknown. candidate_keys: their ids, "" where the file
    has none. set_key: of a pair that a best-worst choice implies, the key of the compared set: the
    best of a set is preferred to all others, and all others to the worst. test_key: None unless
    keys are read.
    """

    key: str
    instance: InstanceRecord
    candidate1: str
    score1: float | None
    candidate2: str
    score2: float | None
    phenomenon: str = ""
    systems: tuple[str, str] = ("", "")
    candidate_keys: tuple[str, str] = ("", "")
    choices: tuple[ChoiceRecord, ...] = ()
    set_key: str = ""
    test_key: KeyRecord | None = None


def candidate_names(pair: PairRecord) -> tuple[str, str]:
    """The ids of a pair's candidates; without one, the system and text as JSON."""
    first, second = (
        key or json.dumps([system, text], ensure_ascii=False)
        for key, system, text in zip(
            pair.candidate_keys, pair.systems, (pair.candidate1, pair.candidate2), strict=True
        )
    )
    return first, second


@dataclass
class ImportReport:
    """Counts of what was read, kept and left out, and notes.

    `read` counts the candidates (or pairs) in the files; `read == kept +
    sum(left_out.values())`. Of the kept ones, `gold_given` have a score in the file,
    `gold_from_ratings` the mean of their ratings, `without_judgment` neither. `criterion` is the
    criterion that was read, where one of several was chosen; `criteria` has the number of judged
    candidates of each criterion, where several were read. `spans` counts marked errors,
    `spans_without_position` those of something missing, `spans_undecided` those without severity.
    `choices` counts people's choices between the candidates of pairs.
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
    criteria: dict[str, int] = field(default_factory=dict)
    spans: int = 0
    spans_without_position: int = 0
    spans_undecided: int = 0
    choices: int = 0
    notes: list[str] = field(default_factory=list)

    def count(self, candidate: CandidateRecord, *, score_in_file: bool) -> None:
        """Count a kept candidate."""
        self.kept += 1
        self.empty_candidates += not candidate.text.strip()
        self.ratings += len(candidate.ratings)
        for criterion in candidate.criteria:
            self.ratings += len(criterion.ratings)
            judged = criterion.score is not None
            self.criteria[criterion.name] = self.criteria.get(criterion.name, 0) + judged
        for marks in candidate.marks:
            self.spans += len(marks.spans)
            self.spans_without_position += sum(span.start is None for span in marks.spans)
            self.spans_undecided += sum(span.severity is None for span in marks.spans)
        if candidate.score is None:
            self.without_judgment += 1
        elif score_in_file:
            self.gold_given += 1
        else:
            self.gold_from_ratings += 1

    def to_json(self) -> ImportReportRow:
        """The report as JSON."""
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
            "criteria": dict(self.criteria),
            "spans": self.spans,
            "spans_without_position": self.spans_without_position,
            "spans_undecided": self.spans_undecided,
            "choices": self.choices,
            "notes": list(self.notes),
        }

    def lines(self) -> list[str]:
        """The report for a terminal."""
        files = self.files[0] if len(self.files) == 1 else f"{len(self.files)} files"
        ratings = f"; ratings: {self.ratings:,}" if self.ratings else ""
        lines = [
            f"{files} ({self.format}): {self.read:,} {self.counted} read, {self.kept:,} kept; "
            f"instances: {self.instances:,}{ratings}."
        ]
        lines += [f"Left out: {count:,}, {reason}." for reason, count in self.left_out.items()]
        if self.criterion:
            lines.append(f"Criterion: {self.criterion}.")
        if self.empty_candidates:
            lines.append(f"Empty candidates (kept): {self.empty_candidates:,}.")
        for name, judged in self.criteria.items():
            lines.append(f"Criterion {name}: {judged:,} candidates judged.")
        if self.spans:
            lines.append(
                f"Error spans: {self.spans:,}; without a position: "
                f"{self.spans_without_position:,}; of undecided severity: {self.spans_undecided:,}."
            )
        if self.choices:
            lines.append(f"People's choices: {self.choices:,}.")
        has_gold = self.gold_given or self.gold_from_ratings
        if self.counted == "candidates" and (has_gold or not self.criteria):
            lines.append(
                f"Gold scores: {self.gold_given:,} from the file, {self.gold_from_ratings:,} means "
                f"of ratings; without judgment: {self.without_judgment:,}."
            )
        return lines + self.notes


@dataclass
class JudgmentFile:
    """Candidates with their judgments; `scale` is (lowest, highest), None where unknown."""

    candidates: list[CandidateRecord]
    scale: tuple[float, float] | None
    report: ImportReport


@dataclass
class PairFile:
    """Minimal pairs; `scale` is (lowest, highest), None where unknown."""

    pairs: list[PairRecord]
    scale: tuple[float, float] | None
    report: ImportReport


__all__ = [
    "CRITICAL",
    "MAJOR",
    "MINOR",
    "SEVERITIES",
    "CandidateRecord",
    "Choice",
    "ChoiceRecord",
    "CriterionRecord",
    "ImportReport",
    "InstanceRecord",
    "JudgmentFile",
    "MarksRecord",
    "PairFile",
    "PairRecord",
    "RatingRecord",
    "SamplingRecord",
    "Span",
    "candidate_names",
    "criteria_scales",
    "gold_score",
    "has_unequal_draws",
]
