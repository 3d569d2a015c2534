"""Soft pairwise accuracy of metrics on systems (Thompson, Mathur, Deutsch and Khayrallah 2024,
Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft Pairwise
Accuracy)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.arrays import Booleans, Floats, Integers
from concord.inference import TOLERANCE, Estimate
from concord.inference.products import product
from concord.meta.inference.draws import Block, Progress, Steps, blocks, permutation_p, toss_coins
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
    tables, answered = _tables(sample)
    first, second = np.triu_indices(tables.shape[1], 1)
    shared = answered[first] & answered[second]
    has_shared = shared.any(axis=1)
    first, second, shared = first[has_shared], second[has_shared], shared[has_shared]
    draw_blocks = blocks(rng, draws)
    packed_coins = [_tossed(block, tables.shape[2]) for block in draw_blocks]
    p = np.empty((len(tables), len(first)))
    for row, table in enumerate(tables):
        p[row] = _p_values(table, first, second, shared, packed_coins, draws)
        yield Progress(row + 1, len(tables))
    figures = []
    for m in range(len(sample.metrics)):
        reason = sample.undefined_reason(m) or (
            "" if len(first) else "no two systems answered one instance"
        )
        figures.append(
            Estimate(None, reason=reason)
            if reason
            else Estimate(float(1.0 - np.abs(p[m + 1] - p[0]).mean()))
        )
    apart = int(np.count_nonzero(~has_shared))
    return SoftPairwise(
        metrics=sample.metrics, figures=figures, pairs=len(first), apart=apart, draws=draws
    )


def _tables(sample: ScoredSample) -> tuple[Floats, Booleans]:
    """People's and each metric's scores by system and instance, (M + 1, S, I), 0 where there is
    no candidate; and where there is one, (S, I)."""
    groups = sample.groups("sys")
    systems = np.empty(sample.n, dtype=np.int64)
    systems[groups.order] = groups.of_position
    is_named = groups.order
    items = sample.items[is_named]
    instances = int(sample.items.max(initial=-1)) + 1
    cells = systems[is_named] * instances + items
    size = len(groups) * instances
    count = np.bincount(cells, minlength=size)
    rows = [
        np.bincount(cells, weights=values[is_named], minlength=size) / np.maximum(count, 1)
        for values in (sample.gold, *sample.filled_scores)
    ]
    shape = (len(groups), instances)
    return np.stack(rows).reshape(-1, *shape), count.reshape(shape) > 0


def _tossed(block: Block, instances: int) -> NDArray[np.uint8]:
    return np.packbits(toss_coins(block.rng, block.size, instances), axis=1)


def _p_values(
    table: Floats,
    first: Integers,
    second: Integers,
    shared: Booleans,
    packed_coins: list[NDArray[np.uint8]],
    draws: int,
) -> Floats:
    gaps = np.where(shared, table[first] - table[second], 0.0)
    gaps /= np.maximum(np.abs(gaps).sum(axis=1, keepdims=True), np.finfo(float).tiny)
    seen = gaps.sum(axis=1, keepdims=True)
    count = np.zeros(len(first), dtype=np.int64)
    for packed in packed_coins:
        signs = np.where(np.unpackbits(packed, axis=1, count=gaps.shape[1]), 1.0, -1.0)
        count += np.count_nonzero(product(gaps, signs.T) >= seen - TOLERANCE, axis=1)
    return permutation_p(count, draws)
