"""Krippendorff's alpha of ratings, with or without a filter, as a report."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concord.filtering.documents import AgreementReport, ShuffledAlpha
from concord.filtering.ledger import Ledger, ZScore
from concord.filtering.null import gain_sentence, shuffled_null
from concord.filtering.replaying import replay
from concord.filtering.zscores import zscore_filter
from concord.reliability import Alpha, Interval, Level, Ratings, alpha_interval, reported_alpha

# A shuffle costs as much as the filter; 200 estimate the null's interval well enough.
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

    {"alpha", "ci", "level", "units", "ratings", "raters_per_unit"}: units are those with two
    ratings or more, ratings those in them, raters_per_unit the one over the other. An undefined
    figure is null, and "reason" says why. With steps in the ledger these are of the ratings kept,
    and there is besides "unfiltered" (the same of all ratings), "null" (alpha that the ledger
    gives on the ratings shuffled among units, with 95% of `NULL_DRAWS` shuffles), "kept" and
    "removed" (ratings), "kept_per_unit" (of all units, those with one rating left included, as
    KPQA's Table 2 counts), "sentence" (what of the gain is real) and "notices". The interval
    takes the filter as done; a filter of workers is not done again in each resample.

    Raises RatingsError for a z-score threshold that no rating of any unit can pass.
    """
    unfiltered = _figures(ratings, level, seed, draws)
    if not ledger.steps:
        return unfiltered
    _check_thresholds(ratings, ledger)
    replayed = replay(ledger, ratings, level=level)
    null = shuffled_null(ratings, ledger, np.random.default_rng(seed), NULL_DRAWS, level=level)
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
        "sentence": gain_sentence(replayed.before, replayed.after, null),
        "notices": [outcome.notice for outcome in replayed.outcomes if outcome.notice],
    }


def _figures(ratings: Ratings, level: Level, seed: int, draws: int) -> AgreementReport:
    alpha: Alpha = reported_alpha(ratings, level)
    interval: Interval = alpha_interval(ratings, level, seed=seed, draws=draws)
    figures: AgreementReport = {
        "alpha": alpha.value,
        "ci": _ends(interval.ends),
        "level": level,
        "units": alpha.units,
        "ratings": alpha.ratings,
        "raters_per_unit": alpha.raters_per_unit,
    }
    reason = alpha.reason or interval.reason
    return figures if reason is None else figures | {"reason": reason}


def _check_thresholds(ratings: Ratings, ledger: Ledger) -> None:
    for step in ledger.steps:
        if isinstance(step, ZScore):
            zscore_filter(ratings, step.threshold, step.at_most, step.ddof, step.one_sided)


def _ends(ends: tuple[float, float] | None) -> list[float] | None:
    return None if ends is None else list(ends)


def _count(mask: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(mask))
