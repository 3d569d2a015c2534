"""The statistics of a judgment set."""

from typing import Annotated, NotRequired, TypedDict


class WordsRow(TypedDict):
    """A scale of words; ordered: the lowest is the first."""

    values: list[str]
    ordered: bool


class SetCounts(TypedDict):
    """How much a constituent or a split holds."""

    passages: int
    instances: int
    candidates: int


class ConstituentRow(TypedDict):
    """A row of MOCHA's Table 2: mean lengths in words, and counts by split."""

    constituent: str
    passage_length: float | None
    question_length: float | None
    reference_length: float | None
    candidate_length: float | None
    all: SetCounts
    splits: dict[str, SetCounts]


class HistogramRow(TypedDict):
    """Gold scores by bin, of one constituent, split and system."""

    constituent: str
    split: str
    system: str
    counts: list[int]


class Histograms(TypedDict):
    """Gold scores by bin, over shared bins."""

    bins: list[str]
    rows: list[HistogramRow]


class CriterionCounts(TypedDict):
    """How many candidates are judged on a criterion, and by how many ratings."""

    name: str
    scale: list[float] | None
    words: NotRequired[Annotated[WordsRow, "Of ratings in words, whose values are positions."]]
    judged: int
    ratings: int


class SeverityCount(TypedDict):
    """The number of errors of a severity; None is undecided."""

    severity: str | None
    count: int


class MarkCounts(TypedDict):
    """How many candidates have marked errors or were found without any; errors, worst first."""

    candidates: int
    workers: int
    spans: list[SeverityCount]


class ChoiceCounts(TypedDict):
    """People's choices between the candidates of pairs."""

    pairs: int
    choices: int
    ties: int
    workers: int


class SetStatistics(TypedDict):
    """`describe`. Sets that older versions of Concord stored lack the optional keys."""

    constituents: list[ConstituentRow]
    total: ConstituentRow
    histograms: Histograms
    judged: int
    ratings: int
    rated: int
    empty_candidates: int
    systems: list[str]
    workers: int
    simulated_ratings: int
    groups: list[str]
    phenomena: dict[str, int]
    criteria: NotRequired[list[CriterionCounts]]
    marks: NotRequired[MarkCounts | None]
    judged_pairs: NotRequired[ChoiceCounts | None]
