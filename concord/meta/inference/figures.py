"""Figures of metrics with resamples of them, and tests of every pair of metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concord.arrays import Floats, Integers
from concord.inference import TOLERANCE, Estimate, Scale, jackknife_estimate, resampled_estimate
from concord.meta.inference.multiplicity import holm


@dataclass(frozen=True, eq=False)
class MetricFigures:
    """The figures of M metrics, (M,), and again in each of R resamples, (R, M); NaN where they are
    undefined.

    values: in the draws of a bootstrap or, where `left_out`, without each passage (the jackknife).
    units: what is resampled, such as ("passages", 120) and ("systems", 8). scale: the range of the
    figures. n: number of candidates. reasons: why a figure is undefined, (M,), where known.
    """

    metrics: tuple[str, ...]
    observed: Floats
    values: Floats
    units: tuple[tuple[str, int], ...]
    scale: Scale = "correlation"
    left_out: bool = False
    n: int | None = None
    reasons: Sequence[str] = ()

    def figure(self, metric: int) -> Estimate:
        """The figure of one metric with its interval, and the p-value of no association."""
        value = float(self.observed[metric])
        if np.isnan(value):
            reason = self.reasons[metric] if self.reasons else "does not vary, or is incomplete"
            return Estimate(None, reason=reason)
        return self._estimate(self.values[:, metric], value, self.scale)

    def difference(self, one: int, other: int) -> Estimate:
        """The figure of one metric less that of another, with its interval and p-value."""
        value = self.observed[one] - self.observed[other]
        return self.difference_of(self.values[:, one] - self.values[:, other], float(value))

    def difference_of(self, values: Floats, observed: float) -> Estimate:
        """Any difference of figures, from its values in the resamples, (R,), and in the data."""
        if np.isnan(observed):
            return Estimate(None, reason="a figure is undefined")
        return self._estimate(values, observed, "difference")

    def _estimate(self, values: Floats, observed: float, scale: Scale) -> Estimate:
        unit, clusters = min(self.units, key=lambda unit: unit[1])
        null = None if scale == "share" else 0.0
        if not self.left_out:
            return resampled_estimate(values, observed, clusters, scale, unit=unit, null=null)
        if scale == "difference" and np.abs(values).max() <= TOLERANCE:  # equal but for rounding
            values, observed = np.zeros_like(values), 0.0
        return jackknife_estimate(values, observed, scale, unit=unit, null=null, n=self.n)


@dataclass(frozen=True, eq=False)
class Comparison:
    """A test of every pair of M metrics. Matrices are (M, M); entry [i, j] compares metric i with
    metric j. They are NaN on the diagonal and where a metric has no figure.

    values: (M,), each metric's figure, higher is better. p_greater: one-sided p-value of the
    alternative "i is better than j". p: two-sided, symmetric. draws: number of draws; None for a
    test without any. low, high: a 95% interval of delta, where the test has one. p_family:
    two-sided, adjusted for all pairs by the joint distribution of the draws (Westfall and Young),
    for a permutation test.
    """

    values: Floats
    p_greater: Floats
    p: Floats
    draws: int | None = None
    low: Floats | None = None
    high: Floats | None = None
    p_family: Floats | None = None

    @property
    def delta(self) -> Floats:
        """values[i] - values[j]."""
        return np.asarray(self.values[:, None] - self.values)

    @property
    def p_holm(self) -> Floats:
        """`p` adjusted by Holm's method for all pairs that were tested."""
        m = len(self.values)
        return pair_matrix(holm(self.p[np.triu_indices(m, 1)]), m)

    @property
    def pairs(self) -> int:
        """Number of tested pairs."""
        return int(np.count_nonzero(~np.isnan(self.p[np.triu_indices(len(self.p), 1)])))

    def resolves(self, alpha: float = 0.05) -> bool:
        """Whether there are enough draws for Holm's method to reject any hypothesis at `alpha`.

        The smallest p-value of k draws is 1 / (k + 1); with m pairs it must be at most alpha / m.
        """
        return self.draws is None or self.pairs / (self.draws + 1) <= alpha


def draws_needed(metrics: int, alpha: float = 0.05) -> int:
    """Smallest number of draws with which Holm's method can reject a hypothesis at `alpha`."""
    pairs = metrics * (metrics - 1) // 2
    return max(1, int(np.ceil(pairs / alpha)) - 1)


def compare_pairs(figures: MetricFigures) -> Comparison:
    """Test every pair of metrics with the resamples of their figures: the paired bootstrap, or the
    jackknife.

    The interval and the p-value of delta are made like those of the figures. Draws in which either
    metric has no figure are left out. Metrics that are equal in all resamples have no interval, and
    p is 1.
    """
    values, m = figures.observed, len(figures.observed)
    first, second = np.triu_indices(m, 1)
    p, low, high = np.full((3, len(first)), np.nan)
    for pair, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        estimate = figures.difference(i, j)
        p[pair] = np.nan if estimate.p is None else estimate.p
        low[pair], high[pair] = estimate.ci or (np.nan, np.nan)
    greater = np.where(values[first] > values[second], p / 2, 1 - p / 2)
    return Comparison(
        values=values,
        p_greater=pair_matrix(greater, m, 1 - greater),
        p=pair_matrix(p, m),
        draws=None if figures.left_out else len(figures.values),
        low=pair_matrix(low, m, -high),
        high=pair_matrix(high, m, -low),
    )


def pair_matrix(
    pairs: Floats, metrics: int, mirrored: Floats | None = None, among: Integers | None = None
) -> Floats:
    """A matrix from the values of pairs i < j, in the order of `np.triu_indices`; [j, i] is the
    value of `mirrored`, by default the same. among: the metrics compared, by default all."""
    compared = np.arange(metrics) if among is None else among
    first, second = (compared[side] for side in np.triu_indices(len(compared), 1))
    matrix = np.full((metrics, metrics), np.nan)
    matrix[first, second] = pairs
    matrix[second, first] = pairs if mirrored is None else mirrored
    return matrix
