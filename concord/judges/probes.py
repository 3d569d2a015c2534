"""Probes of a judge's habits: what moves its scores although people's do not move.

Each has a figure with a 95% interval clustered by passage, and a verdict in words. What people say
of an answer is noisy. A habit that is judged given people's mean score keeps a part of what quality
does to both, and calls a judge without a habit biased. So quality is measured twice: of each answer
the ratings of some people stand in for quality, and those of others correct it for its noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.inference import (
    Estimate,
    clustered_mean,
    detectable,
    jackknifed_estimate,
    sums_by_cluster,
    too_few_clusters,
)
from concord.reliability import Ratings
from concord.reliability.icc import icc_of_sums, icc_sums
from concord.sentences import decimal

STABLE, UNSTABLE = 0.9, 0.75
MAX_P = 0.01
"""Raters whose agreement on quality is not significant at this level tell nothing of a habit."""


@dataclass(frozen=True)
class Probe:
    """name: what is probed. figure: its size. meaning: what the figure is, with its range and the
    value of no effect. verdict: what the interval says."""

    name: str
    figure: Estimate
    meaning: str
    verdict: str


def probe_stability(answers: Floats, clusters: Integers) -> Probe:
    """How equal repeated answers about one item are.

    answers: float64 (n, repeats), NaN without a valid answer. The figure is the intraclass
    correlation of one answer, ICC(1) (`concord.reliability.intraclass_correlation`): the share of
    the variance of answers that lies between items, at most 1. Items with one answer are left out.
    """
    meaning = "ICC(1) of repeated answers; 1: always the same answer, 0: as if drawn by lot"
    rows = np.sum(~np.isnan(answers), axis=1) >= 2
    if not rows.any():
        reason = "no candidate was judged twice"
        return Probe("stability", Estimate(None, reason=reason), meaning, reason)
    sums = sums_by_cluster(icc_sums(Ratings.from_matrix(answers)), clusters[rows])
    figure = jackknifed_estimate(
        icc_of_sums, sums, "correlation",
        reason="what is compared does not vary",
    )  # fmt: skip
    return Probe("stability", figure, meaning, _stability_verdict(figure))


def probe_verbosity(scores: Floats, ratings: Floats, words: Floats, clusters: Integers) -> Probe:
    """Whether longer answers get higher scores than other answers that people find as good.

    scores: (n,), finite, higher for better answers. ratings: (n, m), people's single ratings, NaN
    where there is none. words: (n,), the length of each answer. clusters: (n,), passages. The
    figure is the slope of the score on log2(1 + words) given quality (`_slope_given_quality`).
    """
    meaning = (
        "points of its own scores for twice the length, between answers that people find equally "
        "good; 0: none"
    )
    figure = _slope_given_quality(scores, ratings, np.log2(1 + words), clusters)
    return Probe("verbosity", figure, meaning, sign_verdict(
        figure, "prefers longer answers than people do", "prefers shorter answers than people do",
        "no preference for a length is seen",
    ))  # fmt: skip


def probe_self_preference(
    scores: Floats, people: Floats, is_own: Booleans, clusters: Integers
) -> Probe:
    """Whether a judge favours systems of its own family.

    scores: (n,), finite, higher for better answers. people: (n, m), single ratings, NaN where there
    is none; or (n,), mean scores, where a point of `scores` is a point of people's. is_own: (n,),
    which answers are of the family. clusters: (n,), passages. The figure is the difference of the
    family's scores and those of the others given quality (`_slope_given_quality`); of mean scores
    the mean of score - people's score of the family's answers less that of the others.
    """
    meaning = (
        "points of its own scores more for its own family than for others, of answers that people "
        "find equally good; 0: none"
    )
    figure = Estimate(None, reason="name the systems of the judge's family, not all of them")
    if is_own.any() and not is_own.all():
        figure = _slope_given_quality(scores, people, is_own.astype(np.float64), clusters)
    return Probe("self-preference", figure, meaning, sign_verdict(
        figure, "favours its own family", "is stricter with its own family",
        "no preference for its own family is seen",
    ))  # fmt: skip


def probe_change(
    before: Floats,
    after: Floats,
    clusters: Integers,
    *,
    name: str,
    meaning: str,
    verdicts: tuple[str, str, str],
) -> Probe:
    """The mean change of a judge's scores when one thing of its input is changed.

    before, after: (n,), finite. verdicts: for a change upwards, downwards, and none that is seen.
    """
    figure = clustered_mean(after - before, clusters, null=0.0)
    return Probe(name, figure, meaning, sign_verdict(figure, *verdicts))


def sign_verdict(figure: Estimate, above: str, below: str, none: str) -> str:
    """What an interval says: above 0, below 0, or neither, with the size that would be seen."""
    if figure.value is None:
        return figure.reason
    if figure.low is None or figure.high is None:
        unchanged = figure.value == 0 and not too_few_clusters(figure.clusters or 0)
        few = f"too few {figure.unit or 'passages'} to tell"
        return f"{none}: the scores are the same" if unchanged else few
    if figure.low > 0:
        return above
    if figure.high < 0:
        return below
    return f"{none}; one of {decimal(detectable(figure), 2)} is seen with a probability of 80%"


def _stability_verdict(figure: Estimate) -> str:
    if figure.low is None or figure.high is None:
        return figure.reason if figure.value is None else "too few passages to tell"
    if figure.low >= STABLE:
        return "gives nearly the same answer every time"
    if figure.high < UNSTABLE:
        return "is unstable: ask several times and average"
    return "varies between answers: average several where single answers count"


def _slope_given_quality(
    scores: Floats, people: Floats, covariate: Floats, clusters: Integers
) -> Estimate:
    """The slope c of score = a + b quality + c covariate + noise, with its jackknifed interval.

    people: (n, m) single ratings, which are quality plus noise that is independent between raters.
    The covariance of score and mean rating is b times the variance of quality; this variance is the
    covariance of two raters of an answer, over all its pairs of raters. So b is that of the
    regression with one half of the raters as instrument for the other (Fuller 1987, Measurement
    Error Models, 1.4), averaged over all halves. Answers with fewer than two ratings are left out.
    With (n,) mean scores b is 1. Undefined where the covariate or the scores do not vary, where no
    answer has two ratings, and where raters do not agree on quality at the level MAX_P.
    """
    single = people.ndim == 2
    table = people if single else people[:, None]
    counts = np.sum(np.isfinite(table), axis=1)
    rows = counts >= (2 if single else 1)
    if not rows.any():
        return Estimate(None, reason="no answer has ratings by two people")
    table, counts, codes = table[rows], counts[rows], clusters[rows]
    x, y = covariate[rows] - covariate[rows].mean(), scores[rows] - scores[rows].mean()
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return Estimate(None, reason="what is compared does not vary")
    table = table - np.nanmean(table)
    quality, ones = np.nanmean(table, axis=1), np.ones(len(x))
    if not single:
        y = y - quality
        sums = sums_by_cluster(np.stack([ones, x, x * x, y, x * y]), codes)
        return jackknifed_estimate(_slope, sums, null=0.0)
    pairs = np.nansum(table, axis=1) ** 2 - np.nansum(table**2, axis=1)
    pairs /= counts * (counts - 1)
    values = [ones, x, x * x, y, x * y, quality, x * quality, y * quality, pairs]
    sums = sums_by_cluster(np.stack(values), codes)
    agreement = jackknifed_estimate(lambda totals: _given_quality(totals)[1], sums, null=0.0)
    if agreement.p is None or agreement.p > MAX_P or not (agreement.value or 0.0) > 0:
        reason = "people's ratings agree too little to tell quality from a habit"
        return Estimate(None, reason=reason if agreement.ci else agreement.reason)
    return jackknifed_estimate(lambda totals: _given_quality(totals)[0], sums, null=0.0)


def _slope(totals: Floats) -> Floats:
    """The slope of y on x of totals of 1, x, x^2, y and x y."""
    n, x, xx, y, xy = totals
    return np.asarray((xy - x * y / n) / (xx - x * x / n))


def _given_quality(totals: Floats) -> Floats:
    """(the slope of y on x given quality, the sum of squares of quality given x), of totals of 1,
    x, x^2, y, x y, and of quality q: q, x q, y q, and q^2 free of noise."""
    n, x, xx, y, _, q, xq, yq, qq = totals
    of_scores, of_quality = _slope(totals[:5]), _slope(np.stack([n, x, xx, q, xq]))
    product = yq - y * q / n - of_scores * (xq - x * q / n)
    squares = qq - q * q / n - of_quality * (xq - x * q / n)
    return np.stack([of_scores - product / squares * of_quality, squares])
