"""Records of readers and writers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import fsum
from typing import Any, Literal

from concord.documents.conversation import Conversation, question_text
from concord.documents.description import WordsRow
from concord.formats.report import ImportReport


@dataclass(frozen=True, slots=True, weakref_slot=True)
class InstanceRecord:
    """A passage (may be empty), a question and its references; or a conversation in place of
    passage and question: then `question` is `question_of(conversation)`, for metrics.

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
    conversation: Conversation | None = field(default=None, hash=False)
    named_by_file: bool = field(default=False, compare=False)

    @property
    def question_text(self) -> str:
        """The question, or the turns of a conversation, as one text."""
        return question_text(self.question, self.conversation)

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
            conversation=row.conversation,
        )


@dataclass(frozen=True, slots=True)
class RatingRecord:
    """One worker's value for one candidate; `group` names the group of raters, if any."""

    worker: str
    value: float
    group: str = ""
    simulated: bool = False


class WordScale(tuple[float, float]):
    """A scale of words. A rating is the position of a word, from 0; the scale's ends are those of
    the first and the last word.

    words: they differ. is_ordered: they are in order, the lowest first. Ratings in
    words without an order have no mean.
    """

    words: tuple[str, ...]
    is_ordered: bool

    def __new__(cls, words: Iterable[str], is_ordered: bool = False) -> WordScale:
        listed = tuple(words)
        scale = super().__new__(cls, (0.0, float(len(listed) - 1)))
        scale.words, scale.is_ordered = listed, is_ordered
        return scale

    def __getnewargs__(self) -> tuple[tuple[str, ...], bool]:
        return self.words, self.is_ordered

    def __eq__(self, other: object) -> bool:
        is_same = isinstance(other, WordScale) and self.__getnewargs__() == other.__getnewargs__()
        return is_same

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.words, self.is_ordered))

    @classmethod
    def from_json(cls, row: WordsRow) -> WordScale:
        return cls(row["values"], row["ordered"])

    def to_json(self) -> WordsRow:
        return {"values": list(self.words), "ordered": self.is_ordered}

    def word(self, value: float) -> str | None:
        """The word of a rating; None of a number between two words."""
        is_position = value.is_integer() and 0 <= value < len(self.words)
        return self.words[int(value)] if is_position else None


def scale_text(scale: tuple[float, ...]) -> str:
    """`1 to 5`, or the words, with `<` between those in order."""
    if isinstance(scale, WordScale):
        return (" < " if scale.is_ordered else ", ").join(scale.words)
    return f"{scale[0]:g} to {scale[1]:g}"


def has_mean(scale: tuple[float, float] | None) -> bool:
    """Whether ratings on a scale have a mean: not words without an order."""
    return not isinstance(scale, WordScale) or scale.is_ordered


def order_fault(scale: tuple[float, float] | None) -> str | None:
    """Why ratings on a scale cannot be put in order; None if they can."""
    if has_mean(scale) or scale is None:
        return None
    words = f'"{scale_text(scale).replace(", ", ",")}"'
    return (
        f"the ratings are words without an order: say their order, the lowest first, as --order "
        f"{words} (in Python: order=[...]), or take the nominal level"
    )


def default_level(scale: tuple[float, float] | None) -> Literal["nominal", "ordinal"]:
    """The level of measurement of ratings on a scale, where none is chosen."""
    return "ordinal" if has_mean(scale) else "nominal"


def shown_value(value: float, scale: tuple[float, float] | None) -> float | str:
    """A rating as its raters gave it: the word on a scale of words, else the number."""
    word = scale.word(float(value)) if isinstance(scale, WordScale) else None
    return value if word is None else word


def gold_score(
    score: float | None,
    ratings: Iterable[RatingRecord],
    scale: tuple[float, float] | None = None,
) -> float | None:
    """A candidate's gold score: its own, else the mean of its ratings, else None.

    All readers follow this rule. scale: without a mean on it, there is none.
    """
    if score is not None or not has_mean(scale):
        return score
    return own_or_mean(None, [rating.value for rating in ratings])


def own_or_mean(score: float | None, values: Sequence[float]) -> float | None:
    """The gold score of a candidate whose ratings have these values."""
    if score is not None or not values:
        return score
    return fsum(values) / len(values)


@dataclass(frozen=True, slots=True)
class CriterionRecord:
    """A candidate's judgment on one of several criteria; fields as those of the candidate.

    `scale` is (lowest, highest), None where unknown, a WordScale where ratings are words; it is the
    same for all candidates.
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
    the worker said that it was hard to choose. is_both_bad: of a tie, whether the worker said that
    both candidates are bad.
    """

    worker: str
    choice: Choice
    first_shown: int | None = None
    group: str = ""
    simulated: bool = False
    is_hard: bool = False
    is_both_bad: bool = False


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
class JudgmentFile:
    """Candidates with their judgments; `scale` as that of a CriterionRecord."""

    candidates: list[CandidateRecord]
    scale: tuple[float, float] | None
    report: ImportReport

    @property
    def raters(self) -> set[tuple[str, str]]:
        """(group, name) of everybody who rated or marked a candidate."""
        judgments: Iterator[RatingRecord | MarksRecord] = chain.from_iterable(
            chain(candidate.marks, *(own for _, own in candidate.ratings_by_criterion))
            for candidate in self.candidates
        )
        return {(one.group, one.worker) for one in judgments}


@dataclass
class PairFile:
    """Minimal pairs; `scale` is (lowest, highest), None where unknown."""

    pairs: list[PairRecord]
    scale: tuple[float, float] | None
    report: ImportReport

    @property
    def raters(self) -> set[tuple[str, str]]:
        """(group, name) of everybody who chose."""
        return {(one.group, one.worker) for pair in self.pairs for one in pair.choices}
