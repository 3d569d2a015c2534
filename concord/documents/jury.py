"""Several judges as one.

Without `from __future__ import annotations`, as in `concord.documents`.
"""

from typing import Literal, TypedDict

from concord.documents.figures import FigureRow

JuryRule = Literal["majority", "mean", "weighted", "dawid-skene"]
JuryStatistic = Literal["pearson", "accuracy"]


class JurorRow(TypedDict):
    """One judge. cost: of one answer. missing: items of people without an answer. weights: of its
    vote in the rule "weighted", as fitted on each half of the passages; they sum to 1. chosen: on
    how many of the two halves it was the best single judge."""

    name: str
    cost: float
    missing: int
    agreement: FigureRow
    weights: list[float]
    chosen: int


class JuryRow(TypedDict):
    """All judges as one, by a rule. gain: its agreement less that of the best single judge. ties:
    items where several labels share the first place, which count as a random choice among these."""

    rule: JuryRule
    agreement: FigureRow
    gain: FigureRow
    ties: int


class FrontierRow(TypedDict):
    """A jury that no other one of the same or a lower cost exceeds on the train half. cost: of the
    answers about one item. train: its agreement there; test: on the other half. gain: test less
    the agreement there of the best single judge on the train half."""

    judges: list[str]
    cost: float
    train: float
    test: FigureRow
    gain: FigureRow


class JuryReport(TypedDict):
    """The output of `concord jury --format json`.

    statistic: of agreement with people: Pearson's r of grades with people's mean, accuracy of
    categories by people's most frequent label. items: those that people and every judge judged,
    by which all are compared; left_out: the other ones of people, also those where people's first
    place is shared. is_priced: whether the costs are those of the judges' answers; else each
    answer costs 1. single: agreement of the judge that is best on the other half. frontier: by
    rising cost, of the mean of grades or the majority of labels.
    """

    signature: str
    graded: bool
    statistic: JuryStatistic
    items: int
    passages: int
    left_out: int
    is_priced: bool
    judges: list[JurorRow]
    single: FigureRow
    juries: list[JuryRow]
    frontier: list[FrontierRow]
