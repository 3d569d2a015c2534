"""Estimates of each system's mean outcome."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from concord.arrays import Floats
from concord.estimation.raters import SystemRatings
from concord.estimation.sample import EstimationSample
from concord.estimation.slopes import cross_fit
from concord.estimation.system_data import (
    Candidates,
    Influence,
    Target,
    mean_of_residuals,
    stratified,
)
from concord.inference import two_sided_p
from concord.reliability import Ratings

Method = Literal["auto", "mean", "prediction-powered", "stratified"]
METHODS: tuple[Method, ...] = get_args(Method)

MIN_PASSAGES = 10
MIN_OF_EACH = 5
"""Where outcomes have two values, an interval needs this many ratings of each."""
SHIFT_LEVEL = 0.001


@dataclass(frozen=True, eq=False, kw_only=True)
class SystemEstimate:
    """The estimated mean outcome of one system.

    mean, se, ci: the estimate, its standard error, its 95% interval (Student's t; of ratings that
    are 0 and 1, cut to [0, 1]); None with a `reason`. over: what the interval generalises to:
    "passages", "passages and raters" or, of a set that is rated completely, "raters" or "these
    items". method: "mean", "prediction-powered", "stratified", or "all rated". effective_n: how
    many rated candidates the plain mean would need for the same standard error over passages.
    rated, candidates: number of rated and of all candidates. passages: number of rated passages.
    correlation: of outcomes with the cross-fitted predictions. plain_mean, plain_ci: the plain mean
    of the rated candidates. influence, plain_influence: the contributions of the passages to the
    errors of `mean` and `plain_mean`. All figures are None where no candidate is rated.
    """

    system: str
    mean: float | None = None
    se: float | None = None
    ci: tuple[float, float] | None = None
    over: str = ""
    method: str
    effective_n: float | None = None
    rated: int = 0
    candidates: int
    passages: int = 0
    correlation: float | None = None
    plain_mean: float | None = None
    plain_ci: tuple[float, float] | None = None
    influence: Influence | None = None
    plain_influence: Influence | None = None
    reason: str = ""

    @classmethod
    def unrated(cls, system: str, candidates: int) -> SystemEstimate:
        """Of a system without a rated candidate."""
        reason = "no candidate of this system is rated"
        return cls(system=system, method="mean", candidates=candidates, reason=reason)


def estimate_systems(
    sample: EstimationSample,
    *,
    target: Target = "set",
    method: Method = "auto",
    slopes: Floats | None = None,
    ratings: Ratings | None = None,
) -> list[SystemEstimate]:
    """Estimate each system's mean outcome, in the order of `sample.names`.

    method:

    - "mean": the plain mean of the rated candidates.
    - "prediction-powered" (PPI++, Angelopoulos et al. 2023, arXiv 2311.01453): the mean of
      y - b (f - F) over the rated candidates. f are the scores, F their mean over all candidates of
      the system, and b the slopes from the ratings of other passages (`cross_fit`). It
      estimates the same mean, with a smaller variance where the metric helps. In the paper's terms,
      b is lambda (1 + n / N).
    - "stratified": plain means in strata of equal size by prediction, weighted by stratum size.
    - "auto": prediction-powered, or the plain mean where the metric does not help: with fewer than
      10 rated passages, where the correlation is at most 1 / sqrt(rated passages - 2)
      (arXiv 2505.20178), and where rated and unrated candidates have different mean predictions, so
      that the rated ones are not a random sample.

    The variance is that of the residuals, summed by passage. For the target "set" it has the
    correction for a finite population; for "new" it includes the variance of F. slopes: (N, k), in
    place of the fitted ones. ratings: the single ratings of which the outcomes are the means, whose
    units are candidates: with three raters or more, intervals then hold for other raters of this
    kind (`concord.inference.two_way`).

    There is no interval with fewer than two rated passages, where all outcomes are equal, and where
    outcomes have two values of which one occurs fewer than 5 times.
    """
    fitted = cross_fit(sample).slopes if slopes is None else slopes
    passages = np.unique(sample.passages, return_inverse=True)[1]
    count = int(passages.max()) + 1
    results = []
    for code, name in enumerate(sample.names):
        rows = np.flatnonzero(sample.systems == code)
        centred = sample.scores[rows] - sample.scores[rows].mean(axis=0)
        candidates = Candidates(
            outcomes=sample.outcomes[rows],
            predictions=np.einsum("nk,nk->n", fitted[rows], centred),
            passages=passages[rows],
            n_passages=count,
            ratings=SystemRatings.of(ratings, rows),
        )
        results.append(_estimate(name, candidates, target, method))
    return results


def _estimate(name: str, data: Candidates, target: Target, method: Method) -> SystemEstimate:
    if not data.n:
        return SystemEstimate.unrated(name, data.size)
    simple = used = mean_of_residuals(data, np.zeros(data.size), target)
    no_interval = _no_interval(data, target)
    correlation = _correlation(data)
    reason = ""
    if data.n < data.size and method != "mean":
        reason = _no_help(data, correlation) if method == "auto" else ""
        if not reason and method == "stratified":
            used = stratified(data, target)
        elif not reason:
            used = mean_of_residuals(data, data.predictions, target)
    return system_estimate(
        name,
        data.y,
        simple,
        used,
        no_intervals=(no_interval, no_interval),
        method="stratified" if method == "stratified" else "prediction-powered",
        candidates=data.size,
        passages=data.rated_passages,
        correlation=correlation,
        reason=reason,
        variance=data.n * simple.uncorrected,
    )


def system_estimate(  # noqa: PLR0913 - what a row says
    name: str,
    y: Floats,
    simple: Influence,
    used: Influence,
    *,
    no_intervals: tuple[str, str],
    method: str,
    candidates: int,
    passages: int,
    correlation: float | None,
    reason: str,
    variance: float,
    confidence: float = 0.95,
) -> SystemEstimate:
    """The row of a system with ratings y, (n,): its plain mean, and the one that is used.

    no_intervals: why either has no interval. method: the name of the other one. reason: why the
    plain mean is used. variance: of one rating. effective_n is n' with variance (1 / n' - 1 / N)
    = se^2 over passages; without 1 / N for new passages.
    """
    se, ci = interval(used, y, no_intervals[1], confidence)
    effective_n = None
    if se is not None:
        left = 1 / candidates if used.is_finite else 0.0
        denominator = used.variance / variance + left if variance else 0.0
        effective_n = float(1 / denominator) if denominator else float(len(y))
    return SystemEstimate(
        system=name,
        mean=used.mean,
        se=se,
        ci=ci,
        over=used.over if ci else "",
        method="all rated" if len(y) == candidates else "mean" if used is simple else method,
        effective_n=effective_n,
        rated=len(y),
        candidates=candidates,
        passages=passages,
        correlation=correlation,
        plain_mean=simple.mean,
        plain_ci=interval(simple, y, no_intervals[0], confidence)[1],
        influence=used,
        plain_influence=simple,
        reason=no_intervals[1] or reason,
    )


def interval(
    influence: Influence, y: Floats, no_interval: str, confidence: float = 0.95
) -> tuple[float | None, tuple[float, float] | None]:
    """(standard error, interval), cut to [0, 1] where all ratings y are 0 or 1; None for both where
    there is a reason `no_interval`."""
    if no_interval:
        return None, None
    se, (low, high), _ = influence.interval(confidence)
    if np.isin(y, (0.0, 1.0)).all():
        low, high = float(np.clip(low, 0.0, 1.0)), float(np.clip(high, 0.0, 1.0))
    return se, (low, high)


def _no_interval(data: Candidates, target: Target) -> str:
    """Why there is no interval; empty where there is one. The mean over a set that is rated
    completely is known, however little its ratings vary."""
    if data.n == data.size and target == "set":
        return "" if data.rated_passages > 1 else "one passage"
    if data.rated_passages < 2:
        return "one rated passage: rate two passages or more"
    return too_little_variation(data.y)


def too_little_variation(y: Floats) -> str:
    """Why these ratings (n,) allow no interval; empty where they do."""
    values, counts = np.unique(y, return_counts=True)
    if len(values) == 1:
        return "all ratings are equal: rate more passages"
    if len(values) == 2 and counts.min() < MIN_OF_EACH:
        return (
            f"only {counts.min()} of {len(y)} rated candidates have the value "
            f"{values[counts.argmin()]:g}: rate more passages"
        )
    return ""


def _correlation(data: Candidates) -> float | None:
    x, y = data.predictions[data.rated], data.y
    if len(y) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])


def no_gain(passages: int, correlation: float | None) -> str:
    """Why a metric with this correlation does not help; empty where it does."""
    if passages < MIN_PASSAGES:
        return f"{passages} rated passages; a metric can help from {MIN_PASSAGES} on"
    least = 1 / math.sqrt(passages - 2)
    if correlation is None or correlation <= least:
        shown = "undefined" if correlation is None else f"{correlation:.2f}"
        return (
            f"the metric does not help: its correlation is {shown}, and with {passages} rated "
            f"passages it must exceed {least:.2f}"
        )
    return ""


def _no_help(data: Candidates, correlation: float | None) -> str:
    """Why the plain mean is better than the metric; empty where the metric helps."""
    if reason := no_gain(data.rated_passages, correlation):
        return reason
    if _shift_p(data) < SHIFT_LEVEL:
        return (
            "rated and unrated candidates differ in their scores: the rated ones are no random "
            "sample, and no estimate from them can be relied on"
        )
    return ""


def _shift_p(data: Candidates) -> float:
    """P-value of the hypothesis that rated and unrated candidates have equal mean predictions; the
    standard error is clustered by passage."""
    rated, x = data.rated, data.predictions
    sides = [rated, ~rated]
    means = [x[side].mean() for side in sides]
    influence = np.zeros(data.n_passages)
    for side, mean, sign in zip(sides, means, (1, -1), strict=True):
        weights = sign * (x[side] - mean) / side.sum()
        influence += data.by_passage(side, weights)
    variance = float(influence @ influence)
    if variance == 0:
        return 1.0
    t = (means[0] - means[1]) / math.sqrt(variance)
    return two_sided_p(t, data.rated_passages - 1)
