"""Types of the JSON of agreement reports.

Without `from __future__ import annotations`, as in `concord.documents`.
"""

from typing import Literal, NotRequired, TypedDict

from concord.documents.figures import ResamplesRow

Level = Literal["nominal", "ordinal", "interval", "ratio"]


class AlphaRow(TypedDict):
    """Krippendorff's alpha with its 95% interval; None where undefined, with a `reason`."""

    alpha: float | None
    ci: list[float] | None
    reason: NotRequired[str]


class RatingsAlpha(AlphaRow, ResamplesRow):
    """Alpha of ratings; `units` have two ratings or more, `ratings` are those in them."""

    level: Level
    units: int
    ratings: int
    raters_per_unit: float | None


class ShuffledAlpha(AlphaRow):
    """Mean alpha of a filter on shuffled ratings; `ci` contains 95% of the draws."""

    draws: int


class AgreementReport(RatingsAlpha):
    """`agreement_report`; the optional keys are present where ratings were filtered."""

    unfiltered: NotRequired[RatingsAlpha]
    null: NotRequired[ShuffledAlpha]
    kept: NotRequired[int]
    removed: NotRequired[int]
    kept_per_unit: NotRequired[float]
    sentence: NotRequired[str]
    notices: NotRequired[list[str]]
