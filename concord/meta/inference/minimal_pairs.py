"""Metrics on minimal pairs, and on pairs that people rate far apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.inference import Estimate
from concord.meta.inference.comparison import Comparison
from concord.meta.inference.sample import SampleError, ScoredSample
from concord.meta.pairs import pair_accuracy

# Differences of means such as 4.3 - 2.3 may be too small by rounding.
ROUNDING = 1e-9


def pair_points(better: NDArray[np.float64], worse: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points of each pair: 1 where `better` is higher, 0.5 for a tie, else 0; 0 for a missing
    score. Both arrays have the same shape, with scores oriented so that higher is better."""
    if better.shape != worse.shape:
        raise SampleError(f"better {better.shape} and worse {worse.shape} must have one shape")
    return np.where(better > worse, 1.0, np.where(better == worse, 0.5, 0.0))


def lost_pairs(better: NDArray[np.float64], worse: NDArray[np.float64]) -> NDArray[np.int64]:
    """The pairs with less than one point, (k,), by score difference; missing scores last."""
    lost = np.flatnonzero(pair_points(better, worse) < 1.0)
    return lost[np.argsort(better[lost] - worse[lost], kind="stable")]


def mcnemar(
    metrics: tuple[str, ...], better: NDArray[np.float64], worse: NDArray[np.float64]
) -> Comparison:
    """The exact McNemar test of every pair of metrics, on minimal pairs (M, P).

    Under the null hypothesis each of two metrics has more points in half of the minimal pairs on
    which they have different points. p_greater[i, j] is the probability under B(b + c, 1/2) that i
    has more points in at least the observed number of pairs (McNemar 1947; with half points this is
    the sign test). p is twice the smaller of p_greater[i, j] and p_greater[j, i], at most 1, and 1
    without such pairs. A metric without a score for any pair has no figure.
    """
    earned = pair_points(better, worse)
    if earned.ndim != 2 or len(earned) != len(metrics):
        raise SampleError(f"scores {earned.shape} must have a row for each of {len(metrics)}")
    values = earned.mean(axis=1) if earned.shape[1] else np.full(len(metrics), np.nan)
    scored = np.isfinite(better).any(axis=1) | np.isfinite(worse).any(axis=1)
    values = np.where(scored, values, np.nan)
    ahead = np.array([[np.count_nonzero(a > b) for b in earned] for a in earned])
    p_greater = scipy.special.bdtrc(ahead - 1, ahead + ahead.T, 0.5)
    p_greater[np.isnan(values[:, None] + values)] = np.nan
    p = np.minimum(1.0, 2 * np.minimum(p_greater, p_greater.T))
    for matrix in (p_greater, p):
        np.fill_diagonal(matrix, np.nan)
    return Comparison(
        test="mcnemar",
        metrics=metrics,
        coefficient=None,
        grouping=None,
        values=values,
        delta=values[:, None] - values,
        p_greater=p_greater,
        p=p,
    )


@dataclass(frozen=True, eq=False)
class RankPairs:
    """P pairs of candidates of two systems to one instance that people rate at least `threshold`
    apart. better, worse: int64 (P,), positions in the sample. figures: each metric's accuracy."""

    better: NDArray[np.int64]
    worse: NDArray[np.int64]
    threshold: float
    metrics: tuple[str, ...]
    figures: list[Estimate]


def rank_pairs(sample: ScoredSample, threshold: float = 2.0) -> RankPairs:
    """KPQA's rank-pair matching (Lee et al. 2021, Table 7): the pairs that a metric orders rightly.

    The figure is their share; a tie counts half, and the interval is Wilson's. A pair consists of
    candidates of two known systems. The figure of a metric with a missing score, or with a constant
    score, is undefined. Raises SampleError unless the threshold is positive.

    The paper's percentages are not reproduced: on the same 93 pairs of MS MARCO, BLEU-1 and ROUGE-L
    have 79.6 and 78.0 here, 63.4 and 61.3 in print (docs/reference/papers.md says
    what was tried).
    """
    if not threshold > 0:
        raise SampleError(f"a threshold of {threshold:g} does not say which is better")
    groups = sample.groups("item")
    lefts, rights = [], []
    for _, positions in groups.buckets(1):
        left, right = np.triu_indices(positions.shape[1], 1)
        lefts.append(groups.order[positions[:, left]].ravel())
        rights.append(groups.order[positions[:, right]].ravel())
    none = np.empty(0, dtype=np.int64)
    first, second = np.concatenate([*lefts, none]), np.concatenate([*rights, none])
    gap = sample.gold[first] - sample.gold[second]
    systems = sample.systems
    keep = (systems[first] >= 0) & (systems[second] >= 0) & (systems[first] != systems[second])
    keep &= np.abs(gap) >= threshold - ROUNDING
    first, second, gap = first[keep], second[keep], gap[keep]
    better, worse = np.where(gap > 0, first, second), np.where(gap > 0, second, first)
    order = np.lexsort((worse, better))
    better, worse = better[order], worse[order]
    figures = [
        Estimate(None, reason=flaw)
        if (flaw := sample.undefined_reason(m))
        else pair_accuracy(scores[better], scores[worse])
        for m, scores in enumerate(sample.scores)
    ]
    return RankPairs(
        better=better, worse=worse, threshold=threshold, metrics=sample.metrics, figures=figures
    )
