"""Soft pairwise accuracy of metrics on systems (Thompson, Mathur, Deutsch and Khayrallah 2024,
Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft Pairwise
Accuracy)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.inference import TOLERANCE, Estimate
from concord.inference.products import product
from concord.meta.inference.draws import Progress, Steps, blocks, permutation_p, toss_coins
from concord.meta.inference.sample import ScoredSample


@dataclass(frozen=True, eq=False)
class SoftPairwise:
    """Soft pairwise accuracy of every metric.

    figures: in the order of `metrics`, in [0, 1], higher is better. pairs: number of pairs of
    systems with a common instance. apart: number of pairs without one, which were left out. draws:
    number of permutations of each p-value.
    """

    metrics: tuple[str, ...]
    figures: list[Estimate]
    pairs: int
    apart: int
    draws: int


def soft_pairwise_steps(
    sample: ScoredSample, *, rng: np.random.Generator, draws: int = 1000
) -> Steps[SoftPairwise]:
    """1 - the mean absolute difference between the metric's and people's p-values.

    The mean is over pairs of systems, in the order of their names. A p-value is one-sided, of the
    alternative "the first system is better". Each draw swaps the two systems at random on the
    instances that both answered; people and all metrics have the same swaps. p = (c + 1) / (k + 1),
    where c of k draws have a difference at least as large as the observed one. Several candidates
    of a system for one instance are averaged first. A step is people, or one metric. With 100,000
    draws the Monte Carlo error is below 0.001.
    """
    groups = sample.groups("sys")
    instances = int(sample.items.max(initial=-1)) + 1
    cells = groups.of_position * instances + sample.items[groups.order]
    shape = (len(groups), instances)
    count = np.bincount(cells, minlength=len(groups) * instances)
    answered = count.reshape(shape) > 0
    first, second = np.triu_indices(len(groups), 1)
    shared = answered[first] & answered[second]
    has_shared = shared.any(axis=1)
    first, second, shared = first[has_shared], second[has_shared], shared[has_shared]
    coins = [
        np.packbits(toss_coins(block.rng, block.size, instances), axis=1)
        for block in blocks(rng, draws)
    ]
    p = []
    for values in (sample.gold, *sample.filled_scores):
        sums = np.bincount(cells, weights=values[groups.order], minlength=len(count))
        means = (sums / np.maximum(count, 1)).reshape(shape)
        gaps = np.where(shared, means[first] - means[second], 0.0)
        gaps /= np.maximum(np.abs(gaps).sum(axis=1, keepdims=True), np.finfo(float).tiny)
        seen = gaps.sum(axis=1, keepdims=True) - TOLERANCE
        extreme = np.zeros(len(first), dtype=np.int64)
        for packed in coins:
            signs = np.where(np.unpackbits(packed, axis=1, count=instances), 1.0, -1.0)
            extreme += np.count_nonzero(product(gaps, signs.T) >= seen, axis=1)
        p.append(permutation_p(extreme, draws))
        yield Progress(len(p), 1 + len(sample.metrics))
    figures = []
    for m, of_metric in enumerate(p[1:]):
        reason = sample.undefined_reason(m)
        if not reason and not len(first):
            reason = "no two systems answered one instance"
        value = None if reason else float(1.0 - np.abs(of_metric - p[0]).mean())
        figures.append(Estimate(value, reason=reason))
    apart = int(np.count_nonzero(~has_shared))
    return SoftPairwise(
        metrics=sample.metrics, figures=figures, pairs=len(first), apart=apart, draws=draws
    )
