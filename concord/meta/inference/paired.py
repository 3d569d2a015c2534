"""The paired bootstrap and Williams' test."""

from __future__ import annotations

import numpy as np
import scipy

from concord.arrays import Floats
from concord.meta.inference.bootstrap import Bootstrap
from concord.meta.inference.comparison import Comparison, pair_matrix
from concord.meta.inference.estimators import Coefficient, estimator
from concord.meta.inference.multiplicity import TOLERANCE
from concord.meta.inference.sample import Grouping, ScoredSample


def paired_bootstrap(
    bootstrap: Bootstrap, coefficient: Coefficient | None = None, grouping: Grouping | None = None
) -> Comparison:
    """Test every pair of metrics with the draws of the bootstrap of their figures.

    The interval and the p-value of delta are made like those of the figures
    (`concord.inference.resampled_estimate`). p_greater[i, j] is the one-sided p-value of the
    alternative "i is better than j". Draws in which either metric has no figure are left out.
    Metrics that are equal in all draws have no interval, and p is 1.
    """
    values = bootstrap.observed
    m = len(values)
    first, second = np.triu_indices(m, 1)
    tested = ~np.isnan(values[first] - values[second])
    low, high, p = (np.full(len(first), np.nan) for _ in range(3))
    for pair in np.flatnonzero(tested):
        draws = bootstrap.values[:, first[pair]] - bootstrap.values[:, second[pair]]
        observed = float(values[first[pair]] - values[second[pair]])
        estimate = bootstrap.difference(draws, observed)
        if estimate.ci is not None:
            low[pair], high[pair] = estimate.ci
        if estimate.p is not None:
            p[pair] = estimate.p
    greater = np.where(values[first] > values[second], p / 2, 1 - p / 2)
    p_greater = pair_matrix(greater, m, mirrored="same")
    p_greater.T[first, second] = 1 - greater
    lows, highs = pair_matrix(low, m, mirrored="same"), pair_matrix(high, m, mirrored="same")
    lows.T[first, second], highs.T[first, second] = -high, -low
    return Comparison(
        test="paired-bootstrap",
        metrics=bootstrap.metrics,
        coefficient=coefficient,
        grouping=grouping,
        values=values,
        delta=values[:, None] - values,
        p_greater=p_greater,
        p=pair_matrix(p, m, mirrored="same"),
        draws=bootstrap.draws,
        low=lows,
        high=highs,
    )


def williams(sample: ScoredSample) -> Comparison:
    """Williams' test of every pair of metrics, on their pooled Pearson correlations.

    With r1, r2 of the two metrics with gold, r12 between them, and n the judged candidates,

        t = (r1 - r2) sqrt((n - 1) (1 + r12))
            / sqrt(2 K (n - 1) / (n - 3) + (r1 + r2)^2 / 4 (1 - r12)^3),
        K = 1 - r1^2 - r2^2 - r12^2 + 2 r1 r2 r12,

    has Student's t with n - 3 degrees of freedom (Williams 1959; Graham and Baldwin 2014, Testing
    for Significance of Increased Correlation with Human Judgment). It assumes independent
    candidates. Undefined below four candidates; p_greater is 0.5 where the figures are equal.
    """
    values = estimator(sample, "pearson", "none").means()[0]
    values[~sample.has_figures] = np.nan
    n = sample.n
    if n < 4:
        values = np.full_like(values, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        centred = sample.scores - sample.scores.mean(axis=1, keepdims=True)
        centred /= np.linalg.norm(centred, axis=1, keepdims=True)
        between = np.clip(centred @ centred.T, -1.0, 1.0)
        t = _t(values[:, None], values, between, n)
    p_greater = scipy.special.stdtr(max(1, n - 3), -t)
    p = np.minimum(1.0, 2 * np.minimum(p_greater, p_greater.T))
    for matrix in (p_greater, p):
        np.fill_diagonal(matrix, np.nan)
    return Comparison(
        test="williams",
        metrics=sample.metrics,
        coefficient="pearson",
        grouping="none",
        values=values,
        delta=values[:, None] - values,
        p_greater=p_greater,
        p=p,
    )


def _t(r1: Floats, r2: Floats, r12: Floats, n: int) -> Floats:
    k = 1 - r1**2 - r2**2 - r12**2 + 2 * r1 * r2 * r12
    spread = 2 * np.maximum(k, 0.0) * (n - 1) / (n - 3) + (r1 + r2) ** 2 / 4 * (1 - r12) ** 3
    t = (r1 - r2) * np.sqrt((n - 1) * (1 + r12)) / np.sqrt(spread)
    return np.where(np.abs(r1 - r2) <= TOLERANCE, 0.0 * (r1 - r2), t)
