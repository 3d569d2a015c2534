"""Correlation of a metric with people: Pearson, Spearman, Kendall's tau-b.

Each coefficient takes two float64 arrays of shape (n,) without NaN, and returns an Estimate in
[-1, 1], higher meaning better agreement. Undefined, with a reason, for fewer than three items or
where one side is constant. The 95% interval and the p-value of no correlation are by the jackknife
(`concord.inference.jackknife_estimate`): each cluster is left out once. clusters: int64 (n,), such
as the items' passages; None takes every item as a cluster of its own. weights: float64 (n,), above
0, such as design weights (Horvitz and Thompson 1952): each item stands for so many; None for equal
ones. `pearson_rows` computes many values of r at once, for resamples. `rank_differences` are those
behind Spearman's rho.
"""

from __future__ import annotations

import numpy as np
import scipy

from concord.arrays import Floats, Integers
from concord.inference import Estimate, jackknife_estimate, moment_sums, pearson_of_sums
from concord.meta.inversions import Inversions

MIN_CANDIDATES = 3


def pearson(
    scores: Floats, gold: Floats, clusters: Integers | None = None, weights: Floats | None = None
) -> Estimate:
    """Pearson's r."""
    return _estimate("pearson", scores, gold, clusters, weights)


def spearman(
    scores: Floats, gold: Floats, clusters: Integers | None = None, weights: Floats | None = None
) -> Estimate:
    """Spearman's rho, with ties at their mean rank; with weights, a rank is the weight of smaller
    values plus half that of equal ones."""
    return _estimate("spearman", scores, gold, clusters, weights)


def kendall(
    scores: Floats, gold: Floats, clusters: Integers | None = None, weights: Floats | None = None
) -> Estimate:
    """Kendall's tau-b; with weights, a pair has the product of its two."""
    return _estimate("kendall", scores, gold, clusters, weights)


def left_out_values(
    coefficient: str, scores: Floats, gold: Floats, clusters: Integers, weights: Floats | None
) -> tuple[float, Floats]:
    """A coefficient of all items, and without each cluster in ascending order, (G,).

    coefficient: "pearson", "spearman" or "kendall". Scores and gold have no NaN and vary. NaN
    where a side does not vary without the cluster. r is exact. A cluster takes from the sums behind
    rho and tau what its items contribute to them; that two of its items contribute together is
    counted as for items of different clusters, which is an error of order 1 / G^2.
    """
    if coefficient == "pearson":
        sums = moment_sums(scores[None], gold, clusters, weights)[:, 0]
        whole = sums.sum(axis=-1, keepdims=True)
        return float(pearson_of_sums(whole)[0]), pearson_of_sums(whole - sums)
    weights = np.ones(len(gold)) if weights is None else weights
    codes = np.unique(clusters, return_inverse=True)[1].reshape(-1)
    by_pairs = _spearman_sums if coefficient == "spearman" else _kendall_sums
    totals, without = by_pairs(scores, gold, weights / weights.sum(), codes)
    return float(_ratio(totals[None])[0]), _ratio(without)


def weighted_pearson(scores: Floats, gold: Floats, weights: Floats) -> float:
    """Pearson's r of items that stand for `weights` each, (n,); NaN where a side does not vary."""
    if np.ptp(scores) == 0 or np.ptp(gold) == 0:
        return float("nan")
    items = np.arange(len(gold))
    return left_out_values("pearson", scores, gold, items, weights)[0]


def _ratio(sums: Floats) -> Floats:
    """Concordance over the root of the two sides' variation, of rows of the three."""
    concordance, one, other = sums.T
    values = np.full(len(sums), np.nan)
    varies = (one > 0) & (other > 0)
    np.divide(concordance, np.sqrt(np.abs(one * other)), out=values, where=varies)
    return np.asarray(np.clip(values, -1.0, 1.0))


def _spearman_sums(
    scores: Floats, gold: Floats, weights: Floats, codes: Integers
) -> tuple[Floats, Floats]:
    """Sums over three items, i, j and k, of the sign of x_i - x_j times that of y_i - y_k."""
    x, y = (np.unique(side, return_inverse=True)[1].reshape(-1) for side in (scores, gold))
    by_x, by_y = _signs(x, weights), _signs(y, weights)

    def parts(one: Integers, other: Integers, ranks: Floats, others: Floats) -> Floats:
        as_j, as_k = _signs(one, weights * others), _signs(other, weights * ranks)
        return weights * (ranks * others - as_j - as_k)

    products = weights * np.stack([by_x * by_y, by_x * by_x, by_y * by_y])
    contributed = np.stack(
        [parts(x, y, by_x, by_y), parts(x, x, by_x, by_x), parts(y, y, by_y, by_y)]
    )
    return _left_out(products.sum(axis=1), contributed, weights, codes, 3)


def _kendall_sums(
    scores: Floats, gold: Floats, weights: Floats, codes: Integers
) -> tuple[Floats, Floats]:
    """Sums over two items, i and j, of the sign of x_i - x_j times that of y_i - y_j."""
    x, y = (np.unique(side, return_inverse=True)[1].reshape(-1) for side in (scores, gold))
    both = np.unique(x * (int(y.max()) + 1) + y, return_inverse=True)[1].reshape(-1)
    tied_x, tied_y, tied = (np.bincount(code, weights)[code] for code in (x, y, both))
    order = np.argsort(both, kind="stable")
    discordant = np.empty(len(x))
    sequence = Inversions(np.zeros(len(x), dtype=np.int64), gold[order])
    discordant[order] = sequence.involving(weights[order])
    agreement = 1.0 - tied_x - tied_y + tied - 2 * discordant
    pairs = weights * np.stack([agreement, 1.0 - tied_x, 1.0 - tied_y])
    return _left_out(pairs.sum(axis=1), 2 * pairs, weights, codes, 2)


def _left_out(
    whole: Floats, contributed: Floats, weights: Floats, codes: Integers, degree: int
) -> tuple[Floats, Floats]:
    """Sums over `degree` items without each cluster, (G, 3), from what its items contribute in any
    of the places, (3, n). All are over the same power of the weight that is left."""
    share = np.bincount(codes, weights)[:, None]
    return whole, whole - _by_cluster(contributed, codes) + (degree - 1) * share * whole


def _by_cluster(values: Floats, codes: Integers) -> Floats:
    """Sums over clusters of rows of values, (rows, n): (G, rows)."""
    return np.stack([np.bincount(codes, row) for row in values], axis=1)


def _signs(codes: Integers, weights: Floats) -> Floats:
    """The weight of smaller values less that of larger ones, (n,), of dense codes of values."""
    totals = np.bincount(codes, weights)
    return np.asarray((2 * np.cumsum(totals) - totals - totals.sum())[codes])


def _estimate(
    coefficient: str,
    scores: Floats,
    gold: Floats,
    clusters: Integers | None,
    weights: Floats | None,
) -> Estimate:
    """The coefficient, or the reason why it is undefined.

    With some scores missing it is undefined, so that a metric cannot gain by leaving out hard
    items; the reason states the value over the other items.
    """
    if scores.shape != gold.shape or scores.ndim != 1:
        raise ValueError(f"scores {scores.shape} and gold {gold.shape} must be one vector each")
    n = len(gold)
    if n < MIN_CANDIDATES:
        return Estimate(None, reason=f"too few judged candidates: {n} (3 are needed)")
    unit, codes = ("candidates", np.arange(n)) if clusters is None else ("passages", clusters)
    scored = np.isfinite(scores)
    if reason := undefined_reason(scores):
        if scored.any() and not scored.all():
            others = weights if weights is None else weights[scored]
            value = _estimate(
                coefficient, scores[scored], gold[scored], codes[scored], others
            ).value
            reason += "" if value is None else f"; of the others it is {value:.2f}"
        return Estimate(None, reason=reason)
    if np.all(gold == gold[0]):
        return Estimate(None, reason=f"people gave every candidate the same score, {gold[0]:g}")
    value, without = left_out_values(coefficient, scores, gold, codes, weights)
    return jackknife_estimate(without, value, "correlation", unit=unit, null=0.0, n=n)


def undefined_reason(scores: Floats) -> str:
    """Why a metric with these scores, (n,), has no figure; empty where it has one."""
    missing = int(np.count_nonzero(~np.isfinite(scores)))
    if missing and missing == len(scores):
        return "the metric scored none of the candidates"
    if missing:
        return f"the metric has no score for {missing} of {len(scores)}"
    if len(scores) and np.all(scores == scores[0]):
        return f"the metric gives every candidate the same score, {scores[0]:g}"
    return ""


def pearson_rows(x: Floats, y: Floats) -> Floats:
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


def rank_differences(scores: Floats, gold: Floats) -> Floats:
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
