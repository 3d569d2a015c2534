"""Halo of two criteria, as JSON."""

from typing import Annotated, TypedDict

from concord.documents.figures import FigureRow


class HaloRow(TypedDict):
    """The correlation of the answers to two criteria, within raters and between raters."""

    within: FigureRow
    between: FigureRow
    excess: Annotated[FigureRow, "Within minus between."]
    ratings: int
    units: int
