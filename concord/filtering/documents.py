"""Types of the JSON that tells how far raters agree.

Without `from __future__ import annotations`, as in `concord.meta.documents`.
"""

from typing import NotRequired, TypedDict

from concord.reliability import Level


class AlphaRow(TypedDict):
    """Krippendorff's alpha with its 95% interval; None where undefined, and `reason` says why."""

    alpha: float | None
    ci: list[float] | None
    reason: NotRequired[str]


class RatingsAlpha(AlphaRow):
    """Alpha of ratings: of the units with two ratings or more, and the ratings in them."""

    level: Level
    units: int
    ratings: int
    raters_per_unit: float | None


class ShuffledAlpha(AlphaRow):
    """Mean alpha that a filter gives on shuffled ratings, with 95% of its draws."""

    draws: int


class AgreementReport(RatingsAlpha):
    """`agreement_report`; the other keys are there where ratings were filtered."""

    unfiltered: NotRequired[RatingsAlpha]
    null: NotRequired[ShuffledAlpha]
    kept: NotRequired[int]
    removed: NotRequired[int]
    kept_per_unit: NotRequired[float]
    sentence: NotRequired[str]
    notices: NotRequired[list[str]]
