"""What people reach against people, as JSON."""

from typing import NotRequired, TypedDict, final

from concord.meta.documents.figures import FigureRow
from concord.meta.inference import Coefficient, Grouping


@final
class CeilingRow(TypedDict):
    """The ceiling by one group of raters; the keys are the fields of `Ceiling`."""

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
class NoCeilingRow(TypedDict):
    """Why there is no ceiling by a group of raters."""

    group: str
    reason: str


class RatersRow(FigureRow):
    """The mean ratings of one group against the gold scores."""

    group: str
    n: int


class People(TypedDict):
    """The ceiling by each group of raters, and the groups that are not the gold scores."""

    groups: list[CeilingRow | NoCeilingRow]
    between: list[RatersRow]


class AgainstCeilingRow(TypedDict):
    """A metric's figure against the ceiling, where there is one."""

    relative: NotRequired[FigureRow]
    corrected: NotRequired[FigureRow]
