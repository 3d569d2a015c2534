"""Raters on the criteria of a stored set, and halo between every two criteria.

Without `from __future__ import annotations`, as the other documents.
"""

from typing import Annotated, TypedDict

from concord.documents.agreement import RatingsAlpha
from concord.documents.figures import FigureRow
from concord.documents.halo import HaloRow


class CriterionAlphaRow(RatingsAlpha):
    """Krippendorff's alpha of one group of raters on one criterion; `raters` is their number."""

    criterion: str
    group: str
    raters: int


class GroupHaloRow(HaloRow):
    """Halo among the ratings of one group of raters."""

    group: str


class CriteriaPairRow(TypedDict):
    """Two criteria: the correlation of their gold scores, and halo by group of raters."""

    first: str
    second: str
    gold: FigureRow
    halo: list[GroupHaloRow]


class CriteriaAnalysis(TypedDict):
    """Agreement of raters by criterion, and halo between every two criteria."""

    raters: Annotated[list[CriterionAlphaRow], "Krippendorff's alpha (ordinal) by criterion."]
    pairs: Annotated[
        list[CriteriaPairRow],
        "The correlation of the gold scores, and halo by group of raters.",
    ]
