"""Human agreement as JSON."""

from typing import Literal, NotRequired, TypedDict, final

from concord.documents.figures import FigureRow

Coefficient = Literal["pearson", "spearman", "kendall_b", "kendall_c"]
Grouping = Literal["none", "item", "sys"]


@final
class HumanAgreementRow(TypedDict):
    """Human agreement of one group of raters; the keys are the fields of `HumanAgreement`."""

    group: str
    coefficient: Coefficient
    grouping: Grouping
    held_out: FigureRow
    by_rater: bool
    raters: int | None
    raters_seen: int | None
    halves: FigureRow
    reliability: FigureRow
    candidates: int
    ratings_each: float
    draws: int


@final
class NoHumanAgreementRow(TypedDict):
    """Why human agreement is undefined for a group of raters."""

    group: str
    reason: str


class RatersRow(FigureRow):
    """The mean ratings of one group against the gold scores."""

    group: str
    n: int


class People(TypedDict):
    """Human agreement of each group of raters, and the groups that are not the gold scores."""

    groups: list[HumanAgreementRow | NoHumanAgreementRow]
    between: list[RatersRow]


class RelativeAgreementRow(TypedDict):
    """A metric's figure relative to human agreement, where it is defined.

    Both figures are of the same candidates; `relative_n` and `corrected_n` count them."""

    relative: NotRequired[FigureRow]
    relative_n: NotRequired[int]
    corrected: NotRequired[FigureRow]
    corrected_n: NotRequired[int]
