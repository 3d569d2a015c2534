"""Reports of Krippendorff's alpha, with or without a filter."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from concord.documents.agreement import AgreementReport, ShuffledAlpha
from concord.filtering.ledger import Ledger, ZScoreFilter
from concord.filtering.null import describe_gain, null_alpha
from concord.filtering.replaying import replay
from concord.filtering.zscores import filter_by_zscore
from concord.inference import Estimate
from concord.reliability import Alpha, Level, Ratings, alpha_interval, reported_alpha

# A shuffle takes as long as the filter; 200 are enough for the null's interval.
NULL_DRAWS = 200


def agreement_report(
    ratings: Ratings,
    ledger: Ledger,
    *,
    level: Level = "ordinal",
    seed: int = 0,
    draws: int = 1000,
) -> AgreementReport:
    """Krippendorff's alpha and its interval, as JSON values.

    Keys: "alpha", "ci", "level", "units" (with two ratings or more), "ratings" (in these units)
    and "raters_per_unit" (ratings / units). An undefined figure is null, with a "reason".

    With steps in the ledger these are the figures of the kept ratings, and there are also
    "unfiltered" (the same of all ratings), "null" (alpha of the ledger on shuffled ratings, with
    95% of `NULL_DRAWS` shuffles), "kept" and "removed" (numbers of ratings), "kept_per_unit" (over
    all units, including those with one rating left, as in KPQA's Table 2), "sentence" (how much of
    the gain is real) and "notices". The interval does not repeat the filter in each resample.

    Raises RatingsError for a z-score threshold that no rating of any unit can exceed.
    """
    unfiltered = _figures(ratings, level, seed, draws)
    if not ledger.steps:
        return unfiltered
    _check_thresholds(ratings, ledger)
    replayed = replay(ledger, ratings, level=level)
    null = null_alpha(ratings, ledger, np.random.default_rng(seed), NULL_DRAWS, level=level)
    shuffled: ShuffledAlpha = {"alpha": null.mean, "ci": _ends(null.ends), "draws": null.draws}
    if null.reason is not None:
        shuffled["reason"] = null.reason
    return {
        **_figures(ratings.keep(replayed.kept), level, seed, draws),
        "unfiltered": unfiltered,
        "null": shuffled,
        "kept": _count(replayed.kept),
        "removed": _count(~replayed.kept),
        "kept_per_unit": replayed.outcomes[-1].raters_kept,
        "sentence": describe_gain(replayed.before, replayed.after, null),
        "notices": [outcome.notice for outcome in replayed.outcomes if outcome.notice],
    }


def _figures(ratings: Ratings, level: Level, seed: int, draws: int) -> AgreementReport:
    alpha: Alpha = reported_alpha(ratings, level)
    interval: Estimate = alpha_interval(ratings, level, seed=seed, draws=draws)
    reason = alpha.reason or interval.reason
    figures = {
        "alpha": alpha.value,
        "ci": _ends(interval.ci),
        "level": level,
        "units": alpha.units,
        "ratings": alpha.ratings,
        "raters_per_unit": alpha.raters_per_unit,
        **interval.resamples_json(),
        **({"reason": reason} if reason else {}),
    }
    return cast(AgreementReport, figures)


def _check_thresholds(ratings: Ratings, ledger: Ledger) -> None:
    for step in ledger.steps:
        if isinstance(step, ZScoreFilter):
            filter_by_zscore(ratings, step.threshold, step.at_most, step.ddof, step.one_sided)


def _ends(ends: tuple[float, float] | None) -> list[float] | None:
    return None if ends is None else list(ends)


def _count(mask: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(mask))
