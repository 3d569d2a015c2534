"""Correlation of a metric with people, per item: Pearson, Spearman, Kendall's tau-b.

Each coefficient takes two float64 arrays of shape (n,) without NaN, and returns an Estimate in
[-1, 1], higher meaning better agreement. Undefined, with a reason, for fewer than three items or
where one side is constant. Intervals are of 95% and treat items as independent. `pearson_rows`
computes many values of r at once, for resamples. `rank_differences` are those behind Spearman's
rho.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.inference import Z95, Estimate

MIN_CANDIDATES = 3


def pearson(scores: NDArray[np.float64], gold: NDArray[np.float64]) -> Estimate:
    """Pearson's r; p by the t-test of no association (KPQA, appendix C.2).

    Interval by Fisher's z with standard error 1 / sqrt(n - 3).
    """
    return undefined_figure(scores, gold, pearson) or _of(
        *scipy.stats.pearsonr(scores, gold), lambda _: _over(1.0, len(gold) - 3)
    )


def pearson_rows(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson's r along the last axis of two arrays of shapes (..., n) that broadcast.

    Returns float64 of the broadcast shape without its last axis, in [-1, 1]: the value of
    `pearson` for every row. NaN where either side does not vary.
    """
    a, b = (side - side.mean(axis=-1, keepdims=True) for side in (x, y))
    norm = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    # Equal values may differ from their mean by rounding, so variation is checked before centring.
    varies = (np.ptp(x, axis=-1) > 0) & (np.ptp(y, axis=-1) > 0) & (norm > 0)
    r = np.full(norm.shape, np.nan)
    np.divide((a * b).sum(axis=-1), norm, out=r, where=varies)
    return np.clip(r, -1.0, 1.0)


def spearman(scores: NDArray[np.float64], gold: NDArray[np.float64]) -> Estimate:
    """Spearman's rho with ties at their mean rank; p by the same t-test.

    Interval by Fisher's z with standard error sqrt((1 + rho^2 / 2) / (n - 3)), Bonett and Wright
    (2000), Psychometrika 65(1).
    """
    undefined = undefined_figure(scores, gold, spearman)
    if undefined:
        return undefined
    result = scipy.stats.spearmanr(scores, gold)
    rho, p = float(result.statistic), float(result.pvalue)
    return _of(rho, p, lambda rho: _over(1.0 + rho * rho / 2.0, len(gold) - 3))


def kendall(scores: NDArray[np.float64], gold: NDArray[np.float64]) -> Estimate:
    """Kendall's tau-b; p by scipy (exact for small samples without ties).

    Interval by Fisher's z with standard error sqrt(0.437 / (n - 4)), Fieller, Hartley and Pearson
    (1957), Biometrika 44.
    """
    return undefined_figure(scores, gold, kendall) or _of(
        *scipy.stats.kendalltau(scores, gold, variant="b"), lambda _: _over(0.437, len(gold) - 4)
    )


def undefined_figure(
    scores: NDArray[np.float64],
    gold: NDArray[np.float64],
    coefficient: Callable[[NDArray[np.float64], NDArray[np.float64]], Estimate] | None,
) -> Estimate | None:
    """The figure with the reason why the coefficient is undefined; None where it is defined.

    With some scores missing the figure is undefined, so that a metric cannot gain by leaving out
    hard items; the reason states the value over the other items. coefficient: None omits it.
    """
    if scores.shape != gold.shape or scores.ndim != 1:
        raise ValueError(f"scores {scores.shape} and gold {gold.shape} must be one vector each")
    if len(gold) < MIN_CANDIDATES:
        return Estimate(None, reason=f"too few judged candidates: {len(gold)} (3 are needed)")
    scored = np.isfinite(scores)
    missing = int(np.count_nonzero(~scored))
    if missing == len(scores):
        return Estimate(None, reason="the metric scored none of the candidates")
    if missing:
        reason = f"the metric has no score for {missing} of {len(scores)}"
        value = coefficient and coefficient(scores[scored], gold[scored]).value
        return Estimate(
            None, reason=reason if value is None else f"{reason}; of the others it is {value:.2f}"
        )
    if np.all(scores == scores[0]):
        return Estimate(
            None, reason=f"the metric gives every candidate the same score, {scores[0]:g}"
        )
    if np.all(gold == gold[0]):
        return Estimate(None, reason=f"people gave every candidate the same score, {gold[0]:g}")
    return None


def _of(value: float, p: float, squared_error: Callable[[float], float]) -> Estimate:
    value = float(np.clip(value, -1.0, 1.0))
    error = math.sqrt(squared_error(value))
    if abs(value) == 1.0 or not math.isfinite(error):
        return Estimate(value, p=float(p))
    low, high = (math.tanh(math.atanh(value) + side * Z95 * error) for side in (-1, 1))
    return Estimate(value, low, high, float(p))


def _over(numerator: float, denominator: int) -> float:
    return numerator / denominator if denominator > 0 else math.inf


def rank_differences(scores: NDArray[np.float64], gold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each item's rank by the metric minus its rank by people, as a share of n, in (-1, 1): KPQA,
    Section 5.4.

    Both of shape (n,), higher is better; ties share their mean rank. Positive: the metric ranks
    the item higher than people do. NaN where either side has no score.
    """
    both = np.isfinite(scores) & np.isfinite(gold)
    differences = np.full(scores.shape, np.nan)
    if both.any():
        by_metric, by_people = scipy.stats.rankdata(scores[both]), scipy.stats.rankdata(gold[both])
        differences[both] = (by_metric - by_people) / np.count_nonzero(both)
    return differences
