"""Reports of Krippendorff's alpha, with or without a filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from concord.documents.agreement import (
    AgreementReport,
    RatingsAgreement,
    RatingsAlpha,
    ShuffledAlpha,
)
from concord.filtering.ledger import Ledger, ZScoreFilter
from concord.filtering.null import describe_gain, null_alpha
from concord.filtering.replaying import Replay, replay
from concord.filtering.zscores import filter_by_zscore
from concord.inference import Estimate
from concord.reliability import Coefficients, Level, Ratings, alpha

# A shuffle takes as long as the filter; 200 are enough for the range of shuffles.
NULL_DRAWS = 200
DRAWS = 1000


@dataclass(frozen=True, eq=False)
class FilteredAgreement:
    """Alpha before and after a ledger.

    null: after the ledger on shuffled ratings, with the range of 95% of the shuffles. sentence: how
    much of the gain is real. Both are empty without a step.
    """

    replayed: Replay
    before: RatingsAlpha
    after: RatingsAlpha
    null: ShuffledAlpha | None = None
    sentence: str = ""


def filtered_agreement(
    ratings: Ratings,
    ledger: Ledger,
    *,
    level: Level = "ordinal",
    seconds: NDArray[np.float64] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
    shuffles: int = NULL_DRAWS,
) -> FilteredAgreement:
    """Alpha of all ratings, of those that the ledger keeps, and of those kept of shuffled ones.

    The interval after the ledger does not repeat the filter in each resample. Raises LedgerError
    where a step needs times and `seconds` is None.
    """
    replayed = replay(ledger, ratings, level=level, seconds=seconds)
    before = alpha_row(ratings, level, seed=seed, draws=draws)
    if not ledger.steps:
        return FilteredAgreement(replayed, before, before)
    after = alpha_row(ratings.keep(replayed.kept), level, seed=seed, draws=draws)
    rng = np.random.default_rng(seed)
    null = null_alpha(ratings, ledger, rng, shuffles, level=level, seconds=seconds)
    shuffled: ShuffledAlpha = {"alpha": null[1].value, "ci": _ends(null[1]), "draws": shuffles}
    if null[1].reason:
        shuffled["reason"] = null[1].reason
    sentence = describe_gain(replayed.before, replayed.after, null)
    return FilteredAgreement(replayed, before, after, null=shuffled, sentence=sentence)


def agreement_report(
    ratings: Ratings,
    ledger: Ledger,
    *,
    level: Level = "ordinal",
    scale: tuple[float, float] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> AgreementReport:
    """Krippendorff's alpha with its interval and the coefficients beside it, as JSON values.

    The keys are those of `alpha_row` and of `Coefficients`, with this scale. With steps in the
    ledger they are the figures of the kept ratings, and there are also "unfiltered" (the same of
    all ratings), "null" (alpha of the ledger on shuffled ratings, with the range of 95% of
    `NULL_DRAWS` shuffles), "kept" and "removed" (numbers of ratings), "kept_per_unit" (over all
    units, including those with one rating left, as in KPQA's Table 2), "sentence" (how much of the
    gain is real) and "notices".

    Raises RatingsError for a z-score threshold that no rating of any unit can exceed.
    """
    for step in ledger.steps:
        if isinstance(step, ZScoreFilter):
            filter_by_zscore(ratings, step.threshold, step.at_most, step.ddof, step.one_sided)
    result = filtered_agreement(ratings, ledger, level=level, seed=seed, draws=draws)
    kept_ratings = ratings.keep(result.replayed.kept)
    report = cast(AgreementReport, _with_coefficients(result.after, kept_ratings, scale))
    if result.null is None:
        return report
    outcomes, kept = result.replayed.outcomes, int(result.replayed.kept.sum())
    return {
        **report,
        "unfiltered": _with_coefficients(result.before, ratings, scale),
        "null": result.null,
        "kept": kept,
        "removed": len(ratings) - kept,
        "kept_per_unit": outcomes[-1].raters_kept,
        "sentence": result.sentence,
        "notices": [outcome.notice for outcome in outcomes if outcome.notice],
    }


def _with_coefficients(
    row: RatingsAlpha, ratings: Ratings, scale: tuple[float, float] | None
) -> RatingsAgreement:
    coefficients = Coefficients.of(ratings, row["level"], scale)
    return {**row, **coefficients.to_json(row["alpha"])}


def alpha_row(
    ratings: Ratings, level: Level = "ordinal", *, seed: int = 0, draws: int = DRAWS
) -> RatingsAlpha:
    """Krippendorff's alpha and its interval by resampling passages, as JSON values.

    Keys: "alpha", "ci", "level", "units" (with two ratings or more), "ratings" (in these units),
    "raters_per_unit" (ratings / units), and what the interval is made of. An undefined figure is
    null, with a "reason". Raises RatingsError for an unknown level.
    """
    estimate = alpha(ratings, level, seed=seed, draws=draws)
    units, n = int((ratings.unit_sizes >= 2).sum()), int(ratings.pairable.sum())
    row = {
        "alpha": estimate.value,
        "ci": _ends(estimate),
        "level": level,
        "units": units,
        "ratings": n,
        "raters_per_unit": n / units if units else None,
        **estimate.resamples_json(),
        **({"reason": estimate.reason} if estimate.reason else {}),
    }
    return cast(RatingsAlpha, row)


def _ends(estimate: Estimate) -> list[float] | None:
    return None if estimate.ci is None else list(estimate.ci)
