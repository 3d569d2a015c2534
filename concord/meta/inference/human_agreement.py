"""Human agreement: the correlation of raters with other raters."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from concord.inference import Estimate, resample_counts, resampled_estimate
from concord.meta.groups import mean_of_defined
from concord.meta.inference.bootstrap import Resampling
from concord.meta.inference.estimators import Coefficient
from concord.meta.inference.ratings import SingleRatings
from concord.meta.inference.sample import Grouping, SampleError, ScoredSample

# Raters of fewer candidates are left out.
MIN_RATED = 3


@dataclass(frozen=True, slots=True)
class HumanAgreement:
    """Human agreement by one coefficient and grouping, on candidates with two ratings or more.

    held_out: the correlation of one rater with the mean of the others. by_rater: whether raters are
    known, and each is held out as a person; otherwise one rating of each candidate, at random.
    raters: how many were held out, of `raters_seen` (others rated fewer than three candidates, or
    always the same). halves: the correlation of the means of two random halves of the ratings.
    reliability: `halves` stepped up by Spearman-Brown to all ratings: how well the gold score would
    correlate with that of as many other raters. Intervals are of 95%, passages resampled.
    candidates, ratings_each: how many, and their mean number of ratings. draws: random choices.
    held_out_of: int64, the positions in the sample of the ratings of the candidates of `held_out`:
    those that the held-out raters rated.
    """

    coefficient: Coefficient
    grouping: Grouping
    held_out: Estimate
    by_rater: bool
    raters: int | None
    raters_seen: int | None
    halves: Estimate
    reliability: Estimate
    candidates: int
    ratings_each: float
    draws: int
    held_out_of: NDArray[np.int64] = field(compare=False)


@dataclass(frozen=True, slots=True)
class RelativeAgreement:
    """relative: the metric's figure over the held-out rater's; above 1, the metric agrees with the
    others' mean better than one more rater would. corrected: over the root of the reliability, the
    correlation with scores free of raters' noise (Spearman 1904), which may pass 1 by chance."""

    relative: Estimate
    corrected: Estimate


def human_agreement(
    ratings: SingleRatings,
    coefficient: Coefficient,
    grouping: Grouping = "none",
    *,
    rng: np.random.Generator,
    draws: int = 200,
) -> HumanAgreement:
    """Human agreement for comparison with a metric's figure of this coefficient and grouping.

    Each draw chooses ratings (or a split) anew and resamples passages; values are means over the
    draws' choices, without resampling. Known raters are averaged weighted by the candidates they
    rated. Halves of h ratings each, of m on average, are stepped up by f = m / h to
    f r / (1 + (f - 1) r), which for Pearson is Spearman-Brown's formula and for ranks the usual
    approximation.
    """
    if draws < 1:
        raise SampleError(f"draws must be 1 or more, not {draws}")
    choice, passages = rng.spawn(2)
    clusters = int(ratings.sample.clusters.max()) + 1
    counts = resample_counts(passages, draws, clusters)
    seen = used = None
    held_out_of = np.arange(ratings.sample.n)
    if ratings.raters is None:
        both_values = np.stack(
            [_both(ratings.hold_out_one(choice), coefficient, grouping, row) for row in counts]
        )
        point = both_values[:, 0]
        resampled = both_values[:, 1]
    else:
        point, resampled, used, seen, held_out_of = _by_rater(
            ratings, coefficient, grouping, counts
        )
    split = np.stack(
        [_both(ratings.split_halves(choice), coefficient, grouping, row) for row in counts]
    )
    step = float(ratings.counts.mean() / (ratings.counts // 2).mean())
    return HumanAgreement(
        coefficient=coefficient,
        grouping=grouping,
        held_out=_figure(point, resampled, clusters),
        by_rater=ratings.raters is not None,
        raters=used,
        raters_seen=seen,
        halves=_figure(split[:, 0], split[:, 1], clusters),
        reliability=_figure(split[:, 0], split[:, 1], clusters, step),
        candidates=ratings.sample.n,
        ratings_each=float(ratings.counts.mean()),
        draws=draws,
        held_out_of=held_out_of,
    )


def relative_agreement(figure: Estimate, agreement: HumanAgreement) -> RelativeAgreement:
    """A metric's figure relative to human agreement of the same coefficient and grouping.

    Both must be of the same candidates: for `relative` those of `held_out_of`, for `corrected` all
    candidates of the ratings' sample.
    """
    if figure.value is None:
        undefined = Estimate(None, reason=figure.reason)
        return RelativeAgreement(undefined, undefined)
    held_out, reliability = agreement.held_out.value, agreement.reliability.value
    if held_out is None:
        relative = Estimate(None, reason=agreement.held_out.reason)
    elif held_out <= 0:
        relative = Estimate(None, reason="raters do not agree with each other")
    else:
        relative = Estimate(figure.value / held_out)
    if agreement.coefficient.startswith("kendall"):
        corrected = Estimate(None, reason="the correction holds for Pearson and Spearman only")
    elif reliability is None:
        corrected = Estimate(None, reason=agreement.reliability.reason)
    elif reliability <= 0:
        corrected = Estimate(None, reason="the reliability of the ratings is 0 or below")
    else:
        corrected = Estimate(figure.value / math.sqrt(reliability))
    return RelativeAgreement(relative, corrected)


def _both(
    sample: ScoredSample, coefficient: Coefficient, grouping: Grouping, passages: NDArray[np.int32]
) -> NDArray[np.float64]:
    """The one figure of a sample, as it is and with its passages resampled: (2,)."""
    resampling = Resampling(sample, coefficient, grouping)
    whole, resampled = resampling.values(None, None), resampling.values(passages[None], None)
    return np.array([whole[0, 0], resampled[0, 0]])


def _by_rater(
    ratings: SingleRatings,
    coefficient: Coefficient,
    grouping: Grouping,
    counts: NDArray[np.int32],
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, int, NDArray[np.int64]]:
    """The weighted mean over raters, (1,), that in each resample, (D,), raters used and seen, and
    the candidates of the raters used."""
    assert ratings.raters is not None
    values, resampled, rated = [], [], []
    is_used = np.zeros(ratings.sample.n, dtype=bool)
    all_raters = np.unique(ratings.raters)
    for rater in all_raters.tolist():
        candidates, sample = ratings.hold_out_rater(rater)
        if len(candidates) < MIN_RATED:
            continue
        resampling = Resampling(sample, coefficient, grouping)
        value = resampling.values(None, None)[0, 0]
        if np.isnan(value):
            continue
        # The sample of one rater numbers its passages anew, in the same order.
        passages = np.unique(ratings.sample.clusters[candidates])
        values.append(value)
        resampled.append(resampling.values(counts[:, passages], None)[:, 0])
        rated.append(float(len(candidates)))
        is_used[candidates] = True
    if not values:
        undefined = np.array([np.nan]), np.full(len(counts), np.nan)
        return *undefined, 0, len(all_raters), np.arange(ratings.sample.n)
    weights = np.array(rated)
    point = np.array([np.average(values, weights=weights)])
    return (
        point,
        mean_of_defined(np.stack(resampled, axis=1), weights),
        len(values),
        len(all_raters),
        np.flatnonzero(is_used),
    )


def _figure(
    point: NDArray[np.float64],
    resampled: NDArray[np.float64],
    clusters: int,
    step: float | None = None,
) -> Estimate:
    value = float(mean_of_defined(point))
    if math.isnan(value):
        return Estimate(None, reason="all ratings are equal")
    estimate = resampled_estimate(resampled, value, clusters, "correlation")
    if step is None:
        return estimate
    if 1.0 + (step - 1.0) * value <= 0.0:
        return Estimate(
            None, reason="the Spearman-Brown formula is undefined for halves that disagree so much"
        )
    return estimate.transformed(lambda r: step_up(r, step))


def step_up(r: float, factor: float) -> float:
    """Spearman-Brown: the reliability of `factor` times as many ratings as have reliability r.

    Grows with r; below r = -1 / (factor - 1), where the formula has its pole, -1.
    """
    below = 1.0 + (factor - 1.0) * r
    return max(-1.0, factor * r / below) if below > 0.0 else -1.0
