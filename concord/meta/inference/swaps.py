"""PERM-BOTH: a permutation test that swaps the scores of two metrics at random.

Both metrics are standardised over the sample. Each draw swaps their scores on every unit with
probability 1/2, and computes the difference of the two figures again. Under the null hypothesis
that neither metric is better, the observed difference has the distribution of the draws (Deutsch,
Dror and Roth 2021, TACL 9, Section 4.2; mt-metrics-eval's `PermutationSigDiff`). All pairs of
metrics have the same swaps.
"""

from __future__ import annotations

from concurrent.futures import Executor
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from concord.arrays import Floats, Integers
from concord.documents.comparison import PermutationUnit
from concord.meta.inference.comparison import Comparison, pair_matrix
from concord.meta.inference.draws import (
    Block,
    Progress,
    Steps,
    blocks,
    map_in_order,
    permutation_p,
    toss_coins,
)
from concord.meta.inference.estimators import COEFFICIENTS, Coefficient, estimator
from concord.meta.inference.multiplicity import TOLERANCE, westfall_young
from concord.meta.inference.sample import Grouping, SampleError, ScoredSample
from concord.meta.inference.swapped_moments import PearsonSwaps
from concord.meta.inference.swapped_ranks import RankSwaps


def perm_both_steps(
    sample: ScoredSample,
    coefficient: Coefficient = "pearson",
    grouping: Grouping = "none",
    *,
    rng: np.random.Generator,
    draws: int = 1000,
    unit: PermutationUnit = "passage",
    executor: Executor | None = None,
) -> Steps[Comparison]:
    """PERM-BOTH of every pair of metrics; a step is a block of draws (Pearson) or a pair (ranks).

    unit: what is swapped together: all candidates of a passage or of an instance, whose errors are
    dependent, or single candidates, as in mt-metrics-eval. p = (c + 1) / (k + 1), where c of k
    draws have a difference at least as large as the observed one (in absolute value for the
    two-sided p). Metrics without a figure are left out. Raises SampleError for an unknown
    coefficient or unit, or no draws.
    """
    if coefficient not in COEFFICIENTS:
        raise SampleError(f"{coefficient!r} is none of {', '.join(COEFFICIENTS)}")
    units = _units(sample, unit)
    draw_blocks = blocks(rng, draws)
    values = estimator(sample, coefficient, grouping).means()[0]
    values[~sample.has_figures] = np.nan
    compared = np.flatnonzero(~np.isnan(values))
    pairs = np.array(list(combinations(range(len(compared)), 2)), dtype=np.int64).reshape(-1, 2)
    nulls = np.empty((draws, len(pairs)))
    if len(pairs):
        standardised = standardise(sample.select_metrics(compared.tolist()))
        if coefficient == "pearson":
            by_block = partial(_block_nulls, PearsonSwaps(standardised, grouping), units)
            for done, values_found in enumerate(map_in_order(by_block, draw_blocks, executor)):
                nulls[draw_blocks[done].rows] = values_found
                yield Progress(done + 1, len(draw_blocks))
        else:
            by_pair = partial(
                _pair_nulls,
                RankSwaps(standardised, grouping, coefficient),
                units,
                _packed(draw_blocks, units),
            )
            tasks = [(int(i), int(j)) for i, j in pairs]
            for done, values_found in enumerate(map_in_order(by_pair, tasks, executor)):
                nulls[:, done] = values_found
                yield Progress(done + 1, len(tasks))
    return _comparison(sample, coefficient, grouping, values, compared, nulls)


def standardise(sample: ScoredSample) -> ScoredSample:
    """The sample with each metric's scores less their mean, over their standard deviation."""
    scores = sample.scores - sample.scores.mean(axis=1, keepdims=True)
    scores /= scores.std(axis=1, keepdims=True)
    return ScoredSample(
        metrics=sample.metrics,
        scores=scores,
        gold=sample.gold,
        items=sample.items,
        systems=sample.systems,
        clusters=sample.clusters,
        system_names=sample.system_names,
        unjudged=sample.unjudged,
    )


def _block_nulls(swaps: PearsonSwaps, units: Integers, block: Block) -> Floats:
    is_kept = toss_coins(block.rng, block.size, int(units.max()) + 1)
    return swaps.differences(is_kept.take(units, axis=1))


def _packed(work: list[Block], units: Integers) -> NDArray[np.uint8]:
    """The coins of all draws, eight to a byte: the same that `_block_nulls` would toss."""
    size = int(units.max()) + 1
    return np.concatenate([np.packbits(toss_coins(b.rng, b.size, size), axis=1) for b in work])


def _pair_nulls(
    swaps: RankSwaps, units: Integers, packed: NDArray[np.uint8], pair: tuple[int, int]
) -> Floats:
    size = int(units.max()) + 1
    difference = swaps.of_pair(*pair)
    differences = np.empty(len(packed))
    step = swaps.rows_at_once
    for start in range(0, len(packed), step):
        rows = slice(start, start + step)
        is_kept = np.unpackbits(packed[rows], axis=1, count=size)
        differences[rows] = difference(is_kept.take(units, axis=1))
    return differences


def _comparison(
    sample: ScoredSample,
    coefficient: Coefficient,
    grouping: Grouping,
    values: Floats,
    compared: Integers,
    nulls: Floats,
) -> Comparison:
    figures = values[compared]
    first, second = np.triu_indices(len(compared), 1)
    seen = figures[first] - figures[second]
    draws, m = len(nulls), len(compared)
    greater = np.count_nonzero(nulls >= seen - TOLERANCE, axis=0)
    less = np.count_nonzero(nulls <= seen + TOLERANCE, axis=0)
    extreme = np.count_nonzero(np.abs(nulls) >= np.abs(seen) - TOLERANCE, axis=0)
    p_greater = pair_matrix(permutation_p(greater, draws), m, mirrored="same")
    p_greater.T[first, second] = permutation_p(less, draws)
    p = pair_matrix(permutation_p(extreme, draws), m, mirrored="same")
    family = pair_matrix(westfall_young(seen, nulls), m, mirrored="same")
    return Comparison(
        test="perm-both",
        metrics=sample.metrics,
        coefficient=coefficient,
        grouping=grouping,
        values=values,
        delta=values[:, None] - values,
        p_greater=expand_matrix(p_greater, compared, len(values)),
        p=expand_matrix(p, compared, len(values)),
        draws=draws,
        p_family=expand_matrix(family, compared, len(values)),
    )


def expand_matrix(matrix: Floats, compared: Integers, metrics: int) -> Floats:
    """A matrix of the compared metrics among all of them; NaN elsewhere."""
    whole = np.full((metrics, metrics), np.nan)
    whole[np.ix_(compared, compared)] = matrix
    return whole


def _units(sample: ScoredSample, unit: PermutationUnit) -> Integers:
    if unit == "candidate":
        return np.arange(sample.n)
    if unit not in ("instance", "passage"):
        raise SampleError(f"{unit!r} is none of candidate, instance, passage")
    return sample.items if unit == "instance" else sample.clusters
