"""Halo of two criteria, as JSON."""

from typing import Annotated, TypedDict

from concord.documents.figures import ResamplesRow


class IntervalRow(ResamplesRow):
    """A number with its 95% interval, or the reason why there is none."""

    value: float | None
    ci: list[float] | None
    reason: str | None


class HaloRow(TypedDict):
    """The correlation of the answers to two criteria, within raters and between raters."""

    within: IntervalRow
    between: IntervalRow
    excess: Annotated[IntervalRow, "Within minus between."]
    ratings: int
    units: int
