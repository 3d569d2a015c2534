"""Metrics on minimal pairs, and on pairs that people rate far apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.arrays import Floats, Integers
from concord.inference import Estimate, cluster_sums
from concord.inference.products import product
from concord.meta.inference.draws import permutation_p, toss_coins
from concord.meta.inference.figures import Comparison, draws_needed
from concord.meta.inference.sample import SampleError, ScoredSample
from concord.meta.pairs import pair_accuracy, pair_points

# Differences of means such as 4.3 - 2.3 may be too small by rounding, this share of the threshold.
ROUNDING = 1e-9
MIN_FLIPS, MAX_FLIPS = 10_000, 50_000
FLIPS_AT_ONCE = 1_000


def mcnemar(
    better: Floats, worse: Floats, clusters: Integers | None = None, *, seed: int = 0
) -> Comparison:
    """McNemar's test of every pair of metrics on minimal pairs, (M, P), by whole clusters.

    Under the null hypothesis neither of two metrics has more points (`pair_points`) by more than
    chance, so that the differences of a cluster may as well have the other sign. Each draw flips
    the signs of whole clusters, the same for all metrics; p = (c + 1) / (k + 1), where c of k draws
    have a difference at least as far from 0 as the observed one. Where every minimal pair is a
    cluster of its own, this is McNemar's (1947) exact test but for the draws. clusters: int64 (P,),
    the pairs' passages; None takes every pair as one of its own. A metric without a score for any
    pair has no figure.
    """
    earned = pair_points(better, worse)
    if earned.ndim != 2:
        raise SampleError(f"scores {earned.shape} must have a row for each metric")
    m, n = earned.shape
    scored = np.isfinite(better).any(axis=1) | np.isfinite(worse).any(axis=1)
    values = np.where(scored & (n > 0), earned.sum(axis=1) / max(1, n), np.nan)
    passages = np.arange(n) if clusters is None else clusters
    sums = cluster_sums(earned, passages)
    total = sums.sum(axis=1)
    seen = total[:, None] - total
    rng, extreme, greater = np.random.default_rng(seed), *np.zeros((2, m, m), dtype=np.int64)
    draws = int(np.clip(2 * draws_needed(m), MIN_FLIPS, MAX_FLIPS)) - 1
    for start in range(0, draws, FLIPS_AT_ONCE):
        kept = toss_coins(rng, min(FLIPS_AT_ONCE, draws - start), sums.shape[1])
        flipped = product(np.where(kept, 1.0, -1.0), sums.T)
        # Points are halves, so that sums of them are exact.
        nulls = flipped[:, :, None] - flipped[:, None]
        extreme += np.count_nonzero(np.abs(nulls) >= np.abs(seen), axis=0)
        greater += np.count_nonzero(nulls >= seen, axis=0)
    p_greater, p = permutation_p(greater, draws), permutation_p(extreme, draws)
    for matrix in (p_greater, p):
        matrix[np.isnan(values[:, None] - values)] = np.nan
        np.fill_diagonal(matrix, np.nan)
    return Comparison(values, p_greater, p, draws)


@dataclass(frozen=True, eq=False)
class RankPairs:
    """P pairs of candidates of two systems to one instance that people rate far enough apart.
    better, worse: int64 (P,), positions in the sample. figures: each metric's accuracy."""

    better: Integers
    worse: Integers
    figures: list[Estimate]


def rank_pairs(sample: ScoredSample, threshold: float = 2.0) -> RankPairs:
    """KPQA's rank-pair matching (Lee et al. 2021, Table 7): the pairs that a metric orders rightly.

    The figure is `pair_accuracy`, with an interval clustered by passage. A pair consists of
    candidates of two known systems. The figure of a metric with a missing score, or with a constant
    score, is undefined. Raises SampleError unless the threshold is positive.

    The paper's percentages are not reproduced: on the same 93 pairs of MS MARCO, BLEU-1 and ROUGE-L
    have 79.6 and 78.0 here, 63.4 and 61.3 in print (docs/reference/papers.md says
    what was tried).
    """
    if not threshold > 0:
        raise SampleError(f"a threshold of {threshold:g} does not say which is better")
    groups, sides = sample.groups("item"), [np.empty((2, 0), dtype=np.int64)]
    for _, positions in groups.buckets(1):
        pairs = positions[:, np.stack(np.triu_indices(positions.shape[1], 1))]  # (k, 2, pairs)
        sides.append(groups.order[pairs].swapaxes(0, 1).reshape(2, -1))
    first, second = np.concatenate(sides, axis=1)
    gap = sample.gold[first] - sample.gold[second]
    systems = sample.systems
    keep = (systems[first] >= 0) & (systems[second] >= 0) & (systems[first] != systems[second])
    keep &= np.abs(gap) >= threshold * (1 - ROUNDING)
    first, second, gap = first[keep], second[keep], gap[keep]
    better, worse = np.where(gap > 0, first, second), np.where(gap > 0, second, first)
    order = np.lexsort((worse, better))
    better, worse = better[order], worse[order]
    figures = [
        Estimate(None, reason=flaw)
        if (flaw := sample.undefined_reason(m))
        else pair_accuracy(scores[better], scores[worse], sample.clusters[better])
        for m, scores in enumerate(sample.scores)
    ]
    return RankPairs(better, worse, figures)
