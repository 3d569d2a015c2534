"""Permutation test of no association: gold scores are permuted among the candidates."""

from __future__ import annotations

from concurrent.futures import Executor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from concord.inference.products import product
from concord.meta.inference.draws import Block, Progress, Steps, blocks, map_in_order, permutation_p
from concord.meta.inference.estimators import Coefficient, estimator, gold_ties, kendall_of
from concord.meta.inference.groups import Groups, mean_of_defined
from concord.meta.inference.multiplicity import TOLERANCE
from concord.meta.inference.orderings import Ordering
from concord.meta.inference.sample import Grouping, ScoredSample


def association_steps(
    sample: ScoredSample,
    coefficient: Coefficient,
    grouping: Grouping = "none",
    *,
    rng: np.random.Generator,
    draws: int = 1000,
    executor: Executor | None = None,
) -> Steps[NDArray[np.float64]]:
    """Two-sided p-value of each metric's figure, (M,), NaN where it has none; a step a block.

    Each draw permutes the gold scores among all candidates, or within each item or system, like the
    grouping. p = (c + 1) / (k + 1), where c of k draws have a figure at least as far from 0. The
    test assumes exchangeable candidates, and candidates of one passage are dependent; the bootstrap
    by passage does not assume this. Kendall's taus are computed for each draw.
    """
    figures = estimator(sample, coefficient, grouping)
    values = figures.means()[0]
    values[~sample.has_figures] = np.nan
    compared = np.flatnonzero(~np.isnan(values))
    count = np.zeros(len(values), dtype=np.int64)
    draw_blocks = blocks(rng, draws)
    if len(compared):
        part, groups = sample.select_metrics(compared.tolist()), figures.groups
        task = (
            partial(_linear, *_standard(part, groups, coefficient), groups)
            if coefficient in ("pearson", "spearman")
            else partial(_kendall, part, groups, coefficient)
        )
        size = np.abs(values[compared])
        for done, nulls in enumerate(map_in_order(task, draw_blocks, executor)):
            count[compared] += np.count_nonzero(np.abs(nulls) >= size - TOLERANCE, axis=0)
            yield Progress(done + 1, len(draw_blocks))
    return np.where(np.isnan(values), np.nan, permutation_p(count, draws))


def permute_within(
    rng: np.random.Generator, draws: int, values: NDArray[np.float64], groups: Groups
) -> NDArray[np.float64]:
    """Values in the groups' order, (N,), permuted within each group: (draws, N)."""
    permutations = np.empty((draws, len(values)))
    for _, positions in groups.buckets(draws):
        permutations[:, positions] = rng.permuted(
            np.broadcast_to(values[positions], (draws, *positions.shape)), axis=2
        )
    return permutations


def _standard(
    sample: ScoredSample, groups: Groups, coefficient: Coefficient
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores (M, N) over the number of groups each metric is averaged over, and gold (N,); both of
    norm 1 in each group, so that their product is the figure."""
    x, y = sample.scores[:, groups.order], sample.gold[groups.order]
    if coefficient == "spearman":
        x, y = np.stack([_ranks(row, groups) for row in x]), _ranks(y, groups)
    x, y = groups.standardise(x), groups.standardise(y)
    used = np.count_nonzero(groups.sums(x**2) * groups.sums(y**2) > 0, axis=1)
    return x / used[:, None], y


def _ranks(values: NDArray[np.float64], groups: Groups) -> NDArray[np.float64]:
    ordering = Ordering(groups.of_position, values, values)
    ranks = np.empty(len(values))
    once = np.ones((1, len(values)), dtype=np.int32)
    ranks[ordering.order] = ordering.centred_ranks(once)[0]
    return ranks


def _linear(
    x: NDArray[np.float64], y: NDArray[np.float64], groups: Groups, block: Block
) -> NDArray[np.float64]:
    return product(x, permute_within(block.rng, block.size, y, groups).T).T


def _kendall(
    sample: ScoredSample, groups: Groups, coefficient: Coefficient, block: Block
) -> NDArray[np.float64]:
    x, y = sample.scores[:, groups.order], sample.gold[groups.order]
    once = np.ones((1, len(y)), dtype=np.int32)
    group = groups.of_position
    ties = gold_ties(Ordering(group, y, y), once, coefficient)
    taus = np.empty((block.size, len(x)))
    for draw, gold in enumerate(permute_within(block.rng, block.size, y, groups)):
        for m, scores in enumerate(x):
            ordering = Ordering(group, scores, gold)
            by_group = kendall_of(ordering, once, ordering.inversions.count(once), ties)
            taus[draw, m] = mean_of_defined(by_group)[0]
    return taus
