"""A judge that judged the same items again.

Without `from __future__ import annotations`, as in `concord.documents`.
"""

from typing import Literal, NotRequired, TypedDict

from concord.documents.figures import FigureRow

DriftVerdict = Literal["agreement fell", "no fall is seen", "not tested"]


class ChangedLabel(TypedDict):
    """items had the label `before`, and have the label `after` now."""

    before: str
    after: str
    items: int


class FallRow(TypedDict):
    """How far agreement with people fell, from the base until now; negative where it rose.

    low, high: one-sided bounds, each of which holds at all looks together with 95% confidence; None
    with a `reason`. p: one-sided, of the claim that agreement fell; it counts where it is below
    `level`. detectable: the smallest fall that is seen with a probability of 80%.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    detectable: float | None
    reason: str


class DriftRow(TypedDict):
    """One judge. items: those that it judged both times; judged: of these, those with people's
    label, of which agreement is. missing: answers that one time lacks, of the base and of now.
    changed: the share of items with another verdict. shift, size: of grades, the mean change and
    the mean of its absolute value. labels: of categories, the most frequent changes. base, now:
    agreement with people: the share of items with people's most frequent label, or of grades the
    mean distance from people's mean, of which less is better."""

    items: int
    passages: int
    judged: int
    missing: list[int]
    changed: FigureRow
    shift: NotRequired[FigureRow]
    size: NotRequired[FigureRow]
    labels: NotRequired[list[ChangedLabel]]
    base: FigureRow
    now: FigureRow
    fall: FallRow
    verdict: DriftVerdict


class DriftReport(TypedDict):
    """The output of `concord drift --format json`. looks: how often the base is compared in all.
    level: that of one look."""

    signature: str
    graded: bool
    looks: int
    level: float
    judges: dict[str, DriftRow]
