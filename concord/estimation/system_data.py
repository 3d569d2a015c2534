"""Estimators of one system's mean, with the contribution of each passage to the error."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Target = Literal["set", "new"]
"""set: the mean over this set's candidates. new: over passages of the same kind."""

STRATA = 4
MIN_PER_STRATUM = 5


@dataclass(frozen=True, eq=False)
class Candidates:
    """One system's candidates.

    outcomes: (N,), NaN where not rated. predictions: (N,), slope times score, centred so that their
    mean is 0. passages: (N,), codes below n_passages.
    """

    outcomes: NDArray[np.float64]
    predictions: NDArray[np.float64]
    passages: NDArray[np.int64]
    n_passages: int

    @cached_property
    def rated(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.outcomes)

    @cached_property
    def y(self) -> NDArray[np.float64]:
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

    def by_passage(
        self, rows: NDArray[np.bool_], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Sums of `values`, one for each candidate in `rows`, by passage (n_passages,)."""
        sums = np.bincount(self.passages[rows], values, minlength=self.n_passages)
        return sums.astype(np.float64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Influence:
    """An estimated mean, and the contribution of each passage to its error.

    by_passage: (P,), sums to about 0; for a designed sample, the contributions of units. passages:
    number of rated passages, or units. finite_share: the share of the finite population that is
    rated; 0 where the target is new passages, and where `by_passage` is already corrected.
    is_finite: whether the target is this set. is_weighted: whether contributions have different
    variances by design.
    """

    mean: float
    by_passage: NDArray[np.float64]
    passages: int
    finite_share: float
    is_finite: bool
    is_weighted: bool = False

    @classmethod
    def of_random_sample(
        cls, mean: float, by_passage: NDArray[np.float64], data: Candidates, target: Target
    ) -> Influence:
        """Of rated candidates that are a random sample of passages."""
        is_finite = target == "set"
        return cls(
            mean=mean,
            by_passage=by_passage,
            passages=data.rated_passages,
            finite_share=data.rated_share if is_finite else 0.0,
            is_finite=is_finite,
        )

    @classmethod
    def of_design(
        cls, mean: float, contributions: NDArray[np.float64], count: int, target: Target
    ) -> Influence:
        """Of candidates drawn by known probabilities; the contributions include the correction for
        a finite population. count: number of units for the target "set", else of passages."""
        return cls(
            mean=mean,
            by_passage=contributions,
            passages=count,
            finite_share=0.0,
            is_finite=target == "set",
            is_weighted=True,
        )

    @property
    def uncorrected(self) -> float:
        """The variance without the correction for a finite population."""
        return variance_of(self.by_passage, self.passages)

    @property
    def variance(self) -> float:
        return (1 - self.finite_share) * self.uncorrected


def variance_of(by_passage: NDArray[np.float64], passages: int) -> float:
    """The cluster-robust variance C / (C - 1) sum of squares, with C rated passages."""
    return float(by_passage @ by_passage) * passages / max(1, passages - 1)


def degrees_of_freedom(by_passage: NDArray[np.float64], passages: int) -> float:
    """Satterthwaite's degrees of freedom of `variance_of`, from 1 to passages - 1.

    2 V^2 / var(V) for the sum of squares V; var(V) is estimated from the variance of the squares.
    """
    squares = by_passage**2
    total = squares.sum()
    if total == 0 or passages < 3:
        return max(1.0, passages - 1.0)
    spread = (squares**2).sum() / total**2 - 1 / passages
    return float(np.clip(2 / spread if spread > 0 else np.inf, 1.0, passages - 1.0))


def plain(data: Candidates, target: Target) -> Influence:
    """The plain mean of the rated candidates."""
    return _mean_of_residuals(data, data.y, np.zeros(data.size), target)


def powered(data: Candidates, target: Target) -> Influence:
    """The mean of outcome less prediction; predictions have mean 0 over all candidates."""
    residuals = data.y - data.predictions[data.rated]
    return _mean_of_residuals(data, residuals, data.predictions, target)


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
    error = shares[of_rated] * (data.y - means[of_rated]) / rated[of_rated]
    mean = float(shares @ means)
    by_passage = data.by_passage(data.rated, error)
    if target == "new":
        # The shares of the strata are estimated too.
        every = np.ones(data.size, dtype=bool)
        by_passage += data.by_passage(every, (means[strata] - mean) / data.size)
    return Influence.of_random_sample(mean, by_passage, data, target)


def _mean_of_residuals(
    data: Candidates,
    residuals: NDArray[np.float64],
    predictions: NDArray[np.float64],
    target: Target,
) -> Influence:
    """The mean of the residuals (n,), outcome less prediction, of the rated candidates.

    For the target "set" the mean prediction is known. For "new" it is estimated from the set: a
    rated candidate contributes outcome - (1 - n / N) prediction, an unrated one prediction / N.
    """
    mean = float(residuals.mean())
    if target == "set":
        by_passage = data.by_passage(data.rated, (residuals - mean) / data.n)
        return Influence.of_random_sample(mean, by_passage, data, target)
    values = residuals + predictions[data.rated] * data.n / data.size
    by_passage = data.by_passage(data.rated, (values - values.mean()) / data.n)
    if data.n < data.size:
        rest = predictions[~data.rated]
        by_passage += data.by_passage(~data.rated, (rest - rest.mean()) / data.size)
    return Influence.of_random_sample(mean, by_passage, data, target)
