"""Types of the JSON of agreement reports.

Without `from __future__ import annotations`, as in `concord.documents`.
"""

from typing import Annotated, Literal, NotRequired, TypedDict

from concord.documents.figures import FigureRow, ResamplesRow

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


class ValueRow(TypedDict):
    """A value of ratings, a word as the word, and how many ratings have it."""

    value: float | str
    ratings: int


class DominantRow(TypedDict):
    """A value that most ratings have, and their share."""

    value: float | str
    share: float


class CoefficientsRow(TypedDict):
    """The coefficients beside alpha; null at the nominal level, where values are names."""

    percent: Annotated[FigureRow, "The share of equal pairs of ratings, averaged over units."]
    kappa: Annotated[
        FigureRow, "Mean over pairs of raters; quadratic weights, none at the nominal level."
    ]
    ac1: Annotated[FigureRow, "Gwet's AC1."]
    ac2: Annotated[FigureRow | None, "Gwet's AC2 with ordinal weights."]
    icc: Annotated[FigureRow | None, "ICC(1), of a single rating."]
    mean_icc: Annotated[FigureRow | None, "ICC(1,k), of the mean of a unit's ratings."]
    values: Annotated[list[ValueRow], "The values that occur, ascending; of many the first."]
    n_values: Annotated[int, "How many different values occur."]
    dominant: Annotated[DominantRow | None, "Null without a value that most ratings have."]
    notes: Annotated[list[str], "The values, and how to read the coefficients, in sentences."]


class RatingsAgreement(RatingsAlpha, CoefficientsRow):
    """Alpha of ratings, and the coefficients beside it."""


class AgreementReport(RatingsAgreement):
    """`agreement_report`; the optional keys are present where ratings were filtered."""

    unfiltered: NotRequired[RatingsAgreement]
    null: NotRequired[ShuffledAlpha]
    kept: NotRequired[int]
    removed: NotRequired[int]
    kept_per_unit: NotRequired[float]
    sentence: NotRequired[str]
    notices: NotRequired[list[str]]
