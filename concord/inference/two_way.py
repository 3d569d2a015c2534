"""Errors of estimates over passages and over raters, both taken as random.

A mean of ratings varies with its passages and with its raters. The contributions of the ratings to
its error are summed by passage for the first variance. For the second, products of contributions of
one rater to different passages are summed: where raters are not alike, these are above 0 on
average. The squared half widths of both are added (Zou and Donner 2008, Statistics in Medicine 27),
as `concord.planning.means` plans them: with passages - 1 and raters - 1 degrees of freedom. Ratings
of any design will do: not every rater needs to rate every passage.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

from concord.arrays import Floats, Integers
from concord.inference.estimate import Estimate
from concord.inference.means import clustered_share, t_estimate
from concord.inference.resampling import with_interval
from concord.inference.tails import t_quantile

MIN_RATERS = 3
"""With fewer raters, nothing is said about others."""


@dataclass(frozen=True, eq=False)
class RaterWeights:
    """How passages and raters share the ratings of an estimate.

    weights: (n,), of the ratings, sum to 1. passages, raters: (n,), codes. sharing: the probability
    that two ratings, drawn with these weights, are by one rater and of two passages; of a
    difference of estimates the mean of both.
    """

    weights: Floats
    passages: Integers
    raters: Integers
    sharing: float

    @classmethod
    def of(cls, weights: Floats, passages: Integers, raters: Integers) -> RaterWeights:
        """Of one estimate."""
        return cls(weights, passages, raters, _shared(weights, passages, raters))

    @classmethod
    def equal(cls, passages: Integers, raters: Integers) -> RaterWeights:
        """Of an estimate from n ratings of equal weight."""
        return cls.of(np.full(len(passages), 1 / len(passages)), passages, raters)

    def minus(self, other: RaterWeights) -> RaterWeights:
        """Of a difference of estimates; codes of passages and raters are the same in both."""
        return RaterWeights(
            np.concatenate([self.weights, other.weights]) / 2,
            np.concatenate([self.passages, other.passages]),
            np.concatenate([self.raters, other.raters]),
            (self.sharing + other.sharing) / 2,
        )

    @cached_property
    def passage_degrees(self) -> float:
        """Degrees of freedom of the variance over passages, as in `clustered_error`."""
        return _effective(self.weights, self.passages) - 1

    @cached_property
    def degrees(self) -> float:
        """Degrees of freedom of the variance between raters: their effective number less 1, or
        less 2 for a difference of estimates by different raters."""
        shared = _shared(self.weights, self.passages, self.raters)
        fewer = self.sharing / shared if shared > 0 else 1.0
        return _effective(self.weights, self.raters) - fewer

    @cached_property
    def are_random(self) -> bool:
        """Whether there are enough raters to speak of others: MIN_RATERS, none of whom gave nearly
        all ratings."""
        return len(np.unique(self.raters)) >= MIN_RATERS and self.degrees >= 1

    def over_passages(self, values: Floats) -> Floats:
        """The covariances over passages, (K, K), of K estimates from what their ratings contribute,
        (n, K): those of leaving out each passage in turn, as in `clustered_error`."""
        sums = _sums(values, self.passages)
        groups = len(sums)
        left = 1 - _sums(self.weights[:, None], self.passages)
        changes = sums / np.maximum(left, 1 / groups)
        return np.asarray(changes.T @ changes * ((groups - 1) / groups))

    def over_raters(self, over_passages: Floats, products: Floats, noise: float = 0.0) -> Floats:
        """The variances that raters add to estimates, 0 or more.

        over_passages: their variances over passages. products: sums of `rater_products`, with the
        expectation sharing times (variance of raters - variance of the estimate), because what the
        ratings are compared with is estimated from them. noise: the variance of ratings of one
        candidate that is not in that over passages, because these are not random.
        """
        total = (over_passages + products) / (1 - self.sharing)
        return np.maximum(0.0, total - over_passages + noise)

    def products(self, values: Floats) -> Floats:
        """The sums, (K, K), of products of values, (n, K), of one rater and two passages."""
        return rater_products(values, self.passages, self.raters)

    def errors(self, over_passages: Floats, products: Floats) -> tuple[Floats, Floats]:
        """(standard errors, degrees of freedom) of estimates with these variances over passages and
        these `products`: over raters, too, where these are random."""
        if not self.are_random:
            degrees = np.full(over_passages.shape, self.passage_degrees)
            return np.sqrt(np.maximum(0.0, over_passages)), degrees
        over_raters = self.over_raters(over_passages, products)
        return combined_error(over_passages, self.passage_degrees, over_raters, self.degrees)


def rater_products(values: Floats, passages: Integers, raters: Integers) -> Floats:
    """The sums, (K, K), of products of values, (n, K), of one rater and two different passages."""
    by_rater = _sums(values, raters)
    by_cell = _sums(values, raters * (int(passages.max()) + 1) + passages)
    return np.asarray(by_rater.T @ by_rater - by_cell.T @ by_cell)


def combined_error(
    over_passages: Floats, degrees: float, over_raters: Floats, rater_degrees: float
) -> tuple[Floats, Floats]:
    """(standard errors, degrees of freedom) of estimates with these variances.

    Student's t of these degrees gives the 95% interval whose squared half width is the sum of the
    squared half widths of both sources.
    """
    within = np.maximum(0.0, over_passages)
    error = np.sqrt(within + over_raters)
    t, rater_t = t_quantile(0.975, degrees), t_quantile(0.975, rater_degrees)
    half = np.sqrt(t**2 * within + rater_t**2 * over_raters)
    with np.errstate(invalid="ignore", divide="ignore"):
        combined = scipy.special.stdtridf(0.975, half / error)
    return error, np.where(over_raters > 0, combined, degrees)


def two_way_error(values: Floats, passages: Integers, raters: Integers) -> tuple[float, float]:
    """(standard error of the mean of `values`, (n,), over passages and raters, its degrees of
    freedom). Over passages alone where the raters are too few (`RaterWeights.are_random`); degrees
    are 0 for one passage."""
    weights = RaterWeights.equal(passages, raters)
    if weights.passage_degrees <= 0:
        return 0.0, 0.0
    parts = (values - values.mean())[:, None] / len(values)
    errors, degrees = weights.errors(weights.over_passages(parts), weights.products(parts))
    return float(errors[0, 0]), float(degrees[0, 0])


def two_way_mean(
    values: Floats,
    passages: Integers,
    raters: Integers,
    *,
    null: float | None = None,
    unit: str = "passages",
) -> Estimate:
    """The mean of `values`, (n,), of single ratings, with an interval over passages and raters, and
    the two-sided p-value of `null`; over passages alone where the raters are too few
    (`RaterWeights.are_random`). Undefined without values."""
    if not len(values):
        return Estimate(None, reason="there are no ratings")
    error, degrees = two_way_error(values, passages, raters)
    clusters, is_random = len(np.unique(passages)), RaterWeights.equal(passages, raters).are_random
    estimate = t_estimate(
        float(values.mean()), error, degrees, len(values), clusters=clusters, null=null, unit=unit
    )
    return replace(estimate, over=f"{unit} and raters") if is_random else estimate


def two_way_share(
    hits: Floats,
    passages: Integers,
    raters: Integers,
    *,
    null: float | None = None,
    unit: str = "passages",
) -> Estimate:
    """The mean of `hits`, (n,), each 0 or 1, with an interval within [0, 1] over passages and
    raters, and the p-value of `null`.

    The interval is symmetric on the logit scale, and p is that at whose level it would end at
    `null`. Where all hits are 0, or all 1, the interval is Wilson's of as many items as there are
    passages, or raters if these are fewer, and p is that of the sign test. Undefined without items.
    """
    has_raters = len(np.unique(raters)) >= MIN_RATERS
    units = min([passages, raters][: 1 + has_raters], key=lambda codes: len(np.unique(codes)))
    estimate = clustered_share(hits, units, unit=unit)
    if estimate.value is None:
        return estimate
    over = f"{unit} and raters" if has_raters else unit
    estimate = replace(estimate, clusters=len(np.unique(passages)), over=over)
    error, degrees = two_way_error(hits, passages, raters)
    if not degrees or not error:
        p = None if null is None else min(1.0, 2 * 0.5 ** len(np.unique(units)))
        return replace(estimate, p=p)
    return with_interval(estimate, error, degrees, "share", null=null)


def _shared(weights: Floats, passages: Integers, raters: Integers) -> float:
    return float(rater_products(weights[:, None], passages, raters)[0, 0])


def _effective(weights: Floats, codes: Integers) -> float:
    """The effective number of groups that share ratings of these weights, which sum to 1."""
    sums = _sums(weights[:, None], codes)
    return 1 / float((sums**2).sum())


def _sums(values: Floats, codes: Integers) -> Floats:
    """The sums of rows with the same code, (groups, K)."""
    groups = _dense(codes)
    if values.shape[1] == 1:
        return np.bincount(groups, values[:, 0])[:, None].astype(np.float64, copy=False)
    n = len(codes)
    indicator = scipy.sparse.csr_array((np.ones(n), (groups, np.arange(n))))
    return np.asarray(indicator @ values)


def _dense(codes: Integers) -> Integers:
    """The codes without gaps, from 0; without a sort where they have few."""
    if codes.min() < 0 or codes.max() > 8 * len(codes):
        return np.unique(codes, return_inverse=True)[1].reshape(-1).astype(np.int64)
    is_there = np.bincount(codes) > 0
    return np.asarray((np.cumsum(is_there) - 1)[codes])
