"""Human agreement: the correlation of raters with other raters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from concord.arrays import Counts, Floats, Integers
from concord.inference import Estimate, resample_counts, resampled_estimate
from concord.meta.groups import mean_of_defined
from concord.meta.inference.correlations import correlations
from concord.meta.inference.estimators import Coefficient, estimator
from concord.meta.inference.ratings import SingleRatings
from concord.meta.inference.sample import Grouping, SampleError, ScoredSample

# Raters of fewer candidates are left out.
MIN_RATED = 3
NO_VARIATION = "all ratings are equal"
SPLITS = 20
"""Random choices over which figures are averaged, where raters are not known."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Some ratings against the mean of the others. candidates: int64 (k,), of the ratings' sample.
    sample: the held-out ratings as its only metric, the others' means as its gold."""

    candidates: Integers
    sample: ScoredSample


@dataclass(frozen=True, slots=True)
class HumanAgreement:
    """Human agreement by one coefficient and grouping, on candidates with two ratings or more.

    held_out: the correlation of one rater with the mean of the others. by_rater: whether raters are
    known, and each is held out as a person; otherwise one rating of each candidate, at random.
    raters: how many were held out, of `raters_seen` (others rated fewer than three candidates, or
    always the same). halves: the correlation of the means of two random halves of the ratings.
    reliability: `halves` stepped up by Spearman-Brown to all ratings: how well the gold score would
    correlate with that of as many other raters. Intervals are of 95%, passages resampled.
    candidates, ratings_each: how many, and their mean number of ratings. draws: resamples.
    held_outs: of which `held_out` is the mean. counts: int32 (draws, passages), how often each
    resample has each passage.
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
    held_outs: Sequence[HeldOut] = field(compare=False)
    counts: Counts = field(compare=False, repr=False)

    @property
    def held_out_of(self) -> Integers:
        """The candidates of `held_outs`, positions in the ratings' sample."""
        parts = [one.candidates for one in self.held_outs]
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *parts]))


@dataclass(frozen=True, slots=True)
class RelativeAgreement:
    """relative: the metric's correlation with the means of the others over the held-out rater's;
    above 1, the metric agrees with them better than one more rater does. corrected: the metric's
    correlation with the gold scores over the root of their reliability: that with scores free of
    raters' noise (Spearman 1904), which may pass 1 by chance."""

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

    Known raters are averaged weighted by the candidates they rated; where raters are not known, and
    for halves, figures are means over SPLITS random choices. Each of `draws` resamples of passages
    gives all of them again, so that the interval has no noise of a single choice. Halves of h
    ratings each, of m on average, are stepped up by f = m / h to f r / (1 + (f - 1) r), which for
    Pearson is Spearman-Brown's formula and for ranks the usual approximation.
    """
    if draws < 1:
        raise SampleError(f"draws must be 1 or more, not {draws}")
    choice, passages = rng.spawn(2)
    counts = resample_counts(passages, draws, int(ratings.sample.clusters.max()) + 1)
    everything = np.arange(ratings.sample.n)
    seen = None
    if ratings.raters is None:
        held_outs = [HeldOut(everything, ratings.hold_out_one(choice)) for _ in range(SPLITS)]
    else:
        raters = np.unique(ratings.raters).tolist()
        by_rater = (HeldOut(*ratings.hold_out_rater(rater)) for rater in raters)
        held_outs = [one for one in by_rater if len(one.candidates) >= MIN_RATED]
        seen = len(raters)
    held_outs = [
        one for one in held_outs if not np.isnan(_means(one.sample, coefficient, grouping)).any()
    ]
    halves = [HeldOut(everything, ratings.split_halves(choice)) for _ in range(SPLITS)]
    clusters = ratings.sample.clusters
    (of_halves,) = _figures(clusters, halves, coefficient, grouping, counts)
    (held_out,) = _figures(clusters, held_outs, coefficient, grouping, counts)
    step = float(ratings.counts.mean() / (ratings.counts // 2).mean())
    return HumanAgreement(
        coefficient=coefficient,
        grouping=grouping,
        held_out=held_out,
        by_rater=ratings.raters is not None,
        raters=None if seen is None else len(held_outs),
        raters_seen=seen,
        halves=of_halves,
        reliability=_stepped_up(of_halves, step),
        candidates=ratings.sample.n,
        ratings_each=float(ratings.counts.mean()),
        draws=draws,
        held_outs=held_outs,
        counts=counts,
    )


def agreement_with_others(sample: ScoredSample, agreement: HumanAgreement) -> list[Estimate]:
    """Each metric's figure beside `held_out`: with the means of the same others, on the candidates
    of each held-out rater, and averaged alike. A metric that is one more rater has the same figure.

    sample: as in `relative_agreement`. A metric without a score for one of these candidates has no
    figure.
    """
    figures = _figures(
        sample.clusters,
        _beside(sample, agreement),
        agreement.coefficient,
        agreement.grouping,
        agreement.counts,
        len(sample.metrics),
    )
    return [
        Estimate(None, reason=sample.undefined_reason(m) or figure.reason)
        if figure.value is None or sample.missing[m]
        else figure
        for m, figure in enumerate(figures)
    ]


def relative_agreement(sample: ScoredSample, agreement: HumanAgreement) -> list[RelativeAgreement]:
    """Each metric's figure relative to human agreement of the same coefficient and grouping.

    sample: metrics' scores of the candidates of the ratings' sample, in its order, with their gold
    scores. A metric and a held-out rater are compared with the same others, on the same candidates:
    a metric that is as good as one more rater has a `relative` of 1.
    """
    coefficient, grouping = agreement.coefficient, agreement.grouping
    held_outs = _beside(sample, agreement)
    figures = [np.full(len(sample.metrics), np.nan)]
    figures += [_means(one.sample, coefficient, grouping) for one in held_outs]
    weights = np.array([0.0, *(len(one.candidates) for one in held_outs)])
    with_others = mean_of_defined(np.stack(figures, axis=1), weights)
    return [
        RelativeAgreement(
            _relative(row.figure, float(with_others[m]), agreement),
            _corrected(row.figure, agreement),
        )
        for m, row in enumerate(correlations(sample, coefficient, grouping))
    ]


def _relative(figure: Estimate, with_others: float, agreement: HumanAgreement) -> Estimate:
    held_out = agreement.held_out
    if figure.value is None:
        return Estimate(None, reason=figure.reason)
    if held_out.value is None or held_out.value <= 0 or math.isnan(with_others):
        return Estimate(None, reason=held_out.reason or "raters do not agree with each other")
    return Estimate(with_others / held_out.value)


def _corrected(figure: Estimate, agreement: HumanAgreement) -> Estimate:
    reliability = agreement.reliability
    if figure.value is None:
        return Estimate(None, reason=figure.reason)
    if agreement.coefficient.startswith("kendall"):
        return Estimate(None, reason="the correction holds for Pearson and Spearman only")
    if reliability.value is None or reliability.value <= 0:
        reason = reliability.reason or "the reliability of the ratings is 0 or below"
        return Estimate(None, reason=reason)
    return Estimate(figure.value / math.sqrt(reliability.value))


def _means(sample: ScoredSample, coefficient: Coefficient, grouping: Grouping) -> Floats:
    """The figure of each metric, (M,), NaN where it is undefined."""
    values = estimator(sample, coefficient, grouping).means()[0]
    return np.where(sample.has_figures, values, np.nan)


def _beside(sample: ScoredSample, agreement: HumanAgreement) -> list[HeldOut]:
    """The metrics' scores of the candidates that are held out, with the others' means."""
    held_outs = []
    for one in agreement.held_outs:
        mask = np.zeros(sample.n, dtype=bool)
        mask[one.candidates] = True
        scores = replace(sample.select_candidates(mask), gold=one.sample.gold)
        held_outs.append(HeldOut(one.candidates, scores))
    return held_outs


def _figures(
    clusters: Integers,
    held_outs: Sequence[HeldOut],
    coefficient: Coefficient,
    grouping: Grouping,
    counts: Counts,
    metrics: int = 1,
) -> list[Estimate]:
    """Each metric's mean over what is held out, weighted by candidates, with the interval of its
    values in resamples of passages. clusters: of the candidates that `held_outs` number. metrics:
    of each sample in `held_outs`."""
    if not held_outs:
        return [Estimate(None, reason=NO_VARIATION)] * metrics
    values, resampled = [], []
    for one in held_outs:
        figures = estimator(one.sample, coefficient, grouping)
        # The sample of one rater numbers its passages anew, in the same order.
        passages = np.unique(clusters[one.candidates])
        values.append(figures.means()[0])
        resampled.append(figures.resampled(counts[:, passages]))
    weights = np.array([len(one.candidates) for one in held_outs], dtype=np.float64)
    value = mean_of_defined(np.stack(values, axis=1), weights).tolist()
    drawn = mean_of_defined(np.stack(resampled, axis=2), weights)
    return [
        Estimate(None, reason=NO_VARIATION)
        if math.isnan(one)
        else resampled_estimate(of_metric, one, counts.shape[1], "correlation")
        for one, of_metric in zip(value, drawn.T, strict=True)
    ]


def _stepped_up(halves: Estimate, step: float) -> Estimate:
    if halves.value is not None and 1.0 + (step - 1.0) * halves.value <= 0.0:
        reason = "the Spearman-Brown formula is undefined for halves that disagree so much"
        return Estimate(None, reason=reason)
    return halves.transformed(lambda r: step_up(r, step))


def step_up(r: float, factor: float) -> float:
    """Spearman-Brown: the reliability of `factor` times as many ratings as have reliability r.

    Grows with r; below r = -1 / (factor - 1), where the formula has its pole, -1.
    """
    below = 1.0 + (factor - 1.0) * r
    return max(-1.0, factor * r / below) if below > 0.0 else -1.0
