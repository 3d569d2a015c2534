"""Estimators of one system's mean, with the contribution of each passage to the error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.estimation.raters import RaterPart, SystemRatings
from concord.inference import t_quantile, two_sided_p

Target = Literal["set", "new"]
"""set: the mean over this set's candidates. new: over passages of the same kind."""

STRATA = 4
MIN_PER_STRATUM = 5


@dataclass(frozen=True, eq=False)
class Candidates:
    """One system's candidates.

    outcomes: (N,), NaN where not rated. predictions: (N,), slope times score, centred so that their
    mean is 0. passages: (N,), codes below n_passages. ratings: the single ones, where they are
    known.
    """

    outcomes: Floats
    predictions: Floats
    passages: Integers
    n_passages: int
    ratings: SystemRatings | None = None

    @cached_property
    def rated(self) -> Booleans:
        return ~np.isnan(self.outcomes)

    @cached_property
    def y(self) -> Floats:
        """The outcomes of rated candidates, (n,)."""
        return self.outcomes[self.rated]

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def size(self) -> int:
        return len(self.outcomes)

    @cached_property
    def rated_passages(self) -> int:
        return len(np.unique(self.passages[self.rated]))

    @cached_property
    def rated_share(self) -> float:
        """The share of candidates, or of passages, that is rated; the smaller of the two."""
        return min(self.n / self.size, self.rated_passages / len(np.unique(self.passages)))

    def by_passage(self, rows: Booleans, values: Floats) -> Floats:
        """Sums of `values`, one for each candidate in `rows`, by passage (n_passages,)."""
        sums = np.bincount(self.passages[rows], values, minlength=self.n_passages)
        return sums.astype(np.float64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Influence:
    """An estimated mean, and the contribution of each passage to its error.

    by_passage: (P,), sums to about 0; for a designed sample, the contributions of units. passages:
    number of rated passages, or units. effective: their effective number, which is smaller where
    some have more candidates. finite_share: the share of the finite population that is
    rated; 0 where the target is new passages, and where `by_passage` is already corrected.
    is_finite: whether the target is this set. is_weighted: whether contributions have different
    variances by design. raters: what single ratings contribute, None where they are not known.
    """

    mean: float
    by_passage: Floats
    passages: int
    effective: float
    finite_share: float
    is_finite: bool
    is_weighted: bool = False
    raters: RaterPart | None = None

    def minus(self, other: Influence) -> Influence:
        """The difference of two systems' means, in which what both share cancels."""
        raters = None
        if self.raters is not None and other.raters is not None:
            raters = self.raters.minus(other.raters)
        return replace(
            self,
            mean=self.mean - other.mean,
            by_passage=self.by_passage - other.by_passage,
            passages=min(self.passages, other.passages),
            effective=min(self.effective, other.effective),
            finite_share=min(self.finite_share, other.finite_share),
            is_weighted=self.is_weighted or other.is_weighted,
            raters=raters,
        )

    @property
    def uncorrected(self) -> float:
        """The variance over passages without the correction for a finite population: the
        cluster-robust one, C / (C - 1) sum of squares, with C rated passages."""
        squares = float(self.by_passage @ self.by_passage)
        return squares * self.passages / max(1, self.passages - 1)

    @property
    def variance(self) -> float:
        """The variance over passages."""
        return (1 - self.finite_share) * self.uncorrected

    @property
    def degrees(self) -> float:
        """The degrees of freedom of the variance over passages.

        With weights Satterthwaite's, from 1 to passages - 1: 2 V^2 / var(V) for the sum of squares
        V; var(V) is estimated from the variance of the squares.
        """
        if not self.is_weighted:
            return self.effective - 1
        squares = self.by_passage**2
        total = squares.sum()
        if total == 0 or self.passages < 3:
            return max(1.0, self.passages - 1.0)
        spread = (squares**2).sum() / total**2 - 1 / self.passages
        return float(np.clip(2 / spread if spread > 0 else np.inf, 1.0, self.passages - 1.0))

    @property
    def has_random_raters(self) -> bool:
        """Whether intervals are over raters, too."""
        return self.raters is not None and self.raters.weights.are_random

    @property
    def over(self) -> str:
        """What the interval generalises to."""
        passages = "these items" if self.is_finite and self.finite_share == 1 else "passages"
        if not self.has_random_raters:
            return passages
        return "raters" if passages == "these items" else "passages and raters"

    @cached_property
    def error(self) -> tuple[float, float]:
        """(standard error, degrees of freedom), over raters where there are enough."""
        if self.raters is None or not self.has_random_raters:
            return self.variance**0.5, self.degrees
        return self.raters.error(self.variance, self.degrees)

    def interval(self, confidence: float) -> tuple[float, tuple[float, float], float]:
        """(standard error, interval, two-sided p-value of a mean of 0). Without an error, the
        interval is the mean, and p is 1 or 0."""
        error, degrees = self.error
        if not error:
            return 0.0, (self.mean, self.mean), float(self.mean == 0)
        half = t_quantile((1 + confidence) / 2, degrees) * error
        return error, (self.mean - half, self.mean + half), two_sided_p(self.mean / error, degrees)


def stratified(data: Candidates, target: Target) -> Influence:
    """Plain means of strata, weighted by their sizes.

    Strata are STRATA groups of equal size by prediction. Where a stratum would have fewer than
    MIN_PER_STRATUM rated candidates, there are fewer strata; a single one gives the plain mean.
    """
    for count in range(STRATA, 0, -1):
        edges = np.quantile(data.predictions, np.linspace(0, 1, count + 1)[1:-1])
        strata = np.searchsorted(edges, data.predictions, side="right")
        rated = np.bincount(strata[data.rated], minlength=count)
        if rated.min() >= MIN_PER_STRATUM or count == 1:
            break
    means = np.bincount(strata[data.rated], data.y, minlength=count) / rated
    shares = np.bincount(strata, minlength=count) / data.size
    of_rated = strata[data.rated]
    weights, residuals = shares[of_rated] / rated[of_rated], data.y - means[of_rated]
    mean = float(shares @ means)
    by_passage = data.by_passage(data.rated, weights * residuals)
    if target == "new":
        # The shares of the strata are estimated too.
        every = np.ones(data.size, dtype=bool)
        by_passage += data.by_passage(every, (means[strata] - mean) / data.size)
    return _of_random_sample(mean, by_passage, data, target, weights, residuals)


def mean_of_residuals(data: Candidates, predictions: Floats, target: Target) -> Influence:
    """The mean of outcome less prediction of the rated candidates. predictions: (N,), of mean 0; 0
    for the plain mean.

    For the target "set" the mean prediction is known. For "new" it is estimated from the set: a
    rated candidate contributes outcome - (1 - n / N) prediction, an unrated one prediction / N.
    """
    residuals = data.y - predictions[data.rated]
    mean = float(residuals.mean())
    if target == "set":
        by_passage = data.by_passage(data.rated, (residuals - mean) / data.n)
    else:
        values = residuals + predictions[data.rated] * data.n / data.size
        by_passage = data.by_passage(data.rated, (values - values.mean()) / data.n)
        if data.n < data.size:
            rest = predictions[~data.rated]
            by_passage += data.by_passage(~data.rated, (rest - rest.mean()) / data.size)
    weights = np.full(data.n, 1 / data.n)
    return _of_random_sample(mean, by_passage, data, target, weights, residuals)


def _of_random_sample(
    mean: float,
    by_passage: Floats,
    data: Candidates,
    target: Target,
    weights: Floats,
    residuals: Floats,
) -> Influence:
    """Of rated candidates that are a random sample of passages. weights, residuals: (n,), of the
    rated candidates: the mean of the residuals with these weights is `mean` less a constant."""
    finite_share = data.rated_share if target == "set" else 0.0
    raters = None
    if data.ratings is not None:
        known = np.full(data.n, finite_share)
        raters = data.ratings.part(residuals, weights, data.passages[data.rated], known)
    # As if each passage were left out in turn (`concord.inference.means.clustered_error`).
    shares = data.by_passage(data.rated, weights)
    count = data.rated_passages
    left = np.maximum(1 - shares, 1 / count)
    return Influence(
        mean=mean,
        by_passage=by_passage * np.where(shares > 0, (count - 1) / count / left, 1.0),
        passages=count,
        effective=1 / float(shares @ shares),
        finite_share=finite_share,
        is_finite=target == "set",
        raters=raters,
    )
