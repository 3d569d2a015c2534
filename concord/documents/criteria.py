"""Raters on the criteria of a stored set, and halo between every two criteria.

Without `from __future__ import annotations`, as the other documents.
"""

from typing import Annotated, TypedDict

from concord.documents.figures import FigureRow, ResamplesRow
from concord.documents.halo import HaloRow


class CriterionAlphaRow(ResamplesRow):
    """Krippendorff's alpha of one group of raters on one criterion; `raters` is their number.

    `reason` is None where there is a value.
    """

    criterion: str
    group: str
    raters: int
    ratings: int
    alpha: float | None
    ci: list[float] | None
    reason: str | None


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
