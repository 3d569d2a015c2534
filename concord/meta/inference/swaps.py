"""PERM-BOTH: a permutation test that swaps the scores of two metrics at random.

Both metrics are standardised over the sample. Each draw swaps their scores on every unit with
probability 1/2, and computes the difference of the two figures again. Under the null hypothesis
that neither metric is better, the observed difference has the distribution of the draws (Deutsch,
Dror and Roth 2021, TACL 9, Section 4.2; mt-metrics-eval's `PermutationSigDiff`). All pairs of
metrics have the same swaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from concord.arrays import Booleans, Counts, Floats, Integers
from concord.documents.comparison import PermutationUnit
from concord.inference import TOLERANCE
from concord.meta.groups import mean_of_defined
from concord.meta.inference.draws import Progress, Steps, blocks, permutation_p, toss_coins
from concord.meta.inference.estimators import (
    COEFFICIENTS,
    ROUNDING,
    Coefficient,
    estimator,
    gold_ties,
    kendall_of,
    spearman_of,
)
from concord.meta.inference.figures import Comparison, pair_matrix
from concord.meta.inference.multiplicity import westfall_young
from concord.meta.inference.orderings import CHUNK_CELLS, Ordering
from concord.meta.inference.sample import Grouping, SampleError, ScoredSample

Kept = NDArray[np.uint8]


def perm_both_steps(
    sample: ScoredSample,
    coefficient: Coefficient = "pearson",
    grouping: Grouping = "none",
    *,
    rng: np.random.Generator,
    draws: int = 1000,
    unit: PermutationUnit = "passage",
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
    of_unit = {
        "candidate": np.arange(sample.n), "instance": sample.items, "passage": sample.clusters
    }  # fmt: skip
    if unit not in of_unit:
        raise SampleError(f"{unit!r} is none of {', '.join(of_unit)}")
    units = of_unit[unit]
    draw_blocks = blocks(rng, draws)
    values = estimator(sample, coefficient, grouping).means()[0]
    values[~sample.has_figures] = np.nan
    compared = np.flatnonzero(~np.isnan(values))
    first, second = np.triu_indices(len(compared), 1)
    nulls = np.empty((draws, len(first)))
    if len(first):
        of_compared = standardise(sample.select_metrics(compared.tolist()))
        n_units = int(units.max()) + 1
        coins = (toss_coins(block.rng, block.size, n_units) for block in draw_blocks)
        if coefficient == "pearson":
            moments = PearsonSwaps(of_compared, grouping)
            for done, (block, is_kept) in enumerate(zip(draw_blocks, coins, strict=True), 1):
                nulls[block.rows] = moments.differences(is_kept.take(units, axis=1))
                yield Progress(done, len(draw_blocks))
        else:
            ranks = RankSwaps(of_compared, grouping, coefficient)
            packed = np.concatenate([np.packbits(is_kept, axis=1) for is_kept in coins])
            for done, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
                difference = ranks.of_pair(*pair)
                for start in range(0, draws, ranks.rows_at_once):
                    rows = slice(start, start + ranks.rows_at_once)
                    kept = np.unpackbits(packed[rows], axis=1, count=n_units).take(units, axis=1)
                    nulls[rows, done] = difference(kept)
                yield Progress(done + 1, len(first))
    seen = values[compared][first] - values[compared][second]

    def p_matrix(is_extreme: Booleans, mirrored: Booleans | None = None) -> Floats:
        upper, lower = (
            one if one is None else permutation_p(np.count_nonzero(one, axis=0), draws)
            for one in (is_extreme, mirrored)
        )
        return pair_matrix(np.asarray(upper), len(values), lower, compared)

    return Comparison(
        values=values,
        p_greater=p_matrix(nulls >= seen - TOLERANCE, nulls <= seen + TOLERANCE),
        p=p_matrix(np.abs(nulls) >= np.abs(seen) - TOLERANCE),
        draws=draws,
        p_family=pair_matrix(westfall_young(seen, nulls), len(values), among=compared),
    )


def standardise(sample: ScoredSample) -> ScoredSample:
    """The sample with each metric's scores less their mean, over their standard deviation."""
    scores = sample.scores - sample.scores.mean(axis=1, keepdims=True)
    return replace(sample, scores=scores / scores.std(axis=1, keepdims=True))


class PearsonSwaps:
    """The differences of r of all pairs of a sample's metrics, which are standardised.

    With s = 1 where a unit keeps its scores and -1 where it swaps, the first metric becomes
    (a + b) / 2 + s (a - b) / 2 and the second the same with a minus. Its sums over a group are then
    sums of a and b alone and signed sums: for any quantity f (a, a^2 or a y),

        sum f' = (sum f_a + sum f_b) / 2 +- (sum s f_a - sum s f_b) / 2.

    So the matrix product with the signs is needed for the three quantities of each metric, not of
    each pair.
    """

    def __init__(self, sample: ScoredSample, grouping: Grouping) -> None:
        self.groups = sample.groups(grouping)
        x = sample.scores[:, self.groups.order]
        # y has norm 1 by group, or 0 where it does not vary.
        y = self.groups.standardise(sample.gold[self.groups.order])
        self._table = np.concatenate([x, x * x, x * y])
        self._sums, self._varies = self.groups.sums(self._table), self.groups.sums(y * y) > 0

    def differences(self, is_kept: Booleans) -> Floats:
        """First less second of each pair i < j in each draw, (D, P).

        `is_kept`, (D, n), is False where a candidate's scores are swapped.
        """
        m, draws = len(self._table) // 3, len(is_kept)
        i, j = np.triu_indices(m, 1)
        sums, used = np.zeros((2, 2, len(i), draws))
        signs = np.where(is_kept.take(self.groups.order, axis=1), 1.0, -1.0)
        cells = max(0, len(i) - len(self._table)) * draws
        for which, signed in self.groups.weighted_sums(self._table, signs, cells):
            size = self.groups.sizes[which[0]]
            plain = self._sums.T[which].reshape(len(which), 3, m, 1)[self._varies[which]]
            signed = signed.reshape(len(which), 3, m, draws)[self._varies[which]]
            even = (plain[:, :, i] + plain[:, :, j]) / 2
            odd = (signed[:, :, i] - signed[:, :, j]) / 2
            for side, moments in enumerate((even + odd, even - odd)):
                x, xx, xy = moments.swapaxes(0, 1)
                variance = xx - x * x / size
                varies = variance > ROUNDING
                norm = np.sqrt(np.maximum(variance, ROUNDING))
                sums[side] += np.divide(xy, norm, out=np.zeros_like(norm), where=varies).sum(axis=0)
                used[side] += varies.sum(axis=0)
        means = np.divide(sums, used, out=np.full(sums.shape, np.nan), where=used > 0)
        return np.asarray((means[0] - means[1]).T)


class RankSwaps:
    """The differences of rho or tau of single pairs of a sample's metrics, which are standardised.

    The scores of both metrics are sorted together once. A swap selects one of the two scores of
    each candidate, so a draw gives the 2 n sorted scores weights 0 and 1, as a bootstrap weights
    candidates.
    """

    def __init__(self, sample: ScoredSample, grouping: Grouping, coefficient: Coefficient) -> None:
        self.coefficient, self._groups = coefficient, sample.groups(grouping)
        self._x = sample.scores[:, self._groups.order]
        self._y = sample.gold[self._groups.order]
        self._gold = Ordering(self._groups.of_position, self._y, self._y)
        self.rows_at_once = max(1, CHUNK_CELLS // (2 * len(self._y)))

    def of_pair(self, i: int, j: int) -> Callable[[Kept], Floats]:
        """A function from (D, n), 0 where a candidate's scores are swapped, to first less second
        in each draw, (D,)."""
        group = np.tile(self._groups.of_position, 2)
        both = Ordering(group, np.concatenate([self._x[i], self._x[j]]), np.tile(self._y, 2))
        figures = self._rho(both) if self.coefficient == "spearman" else self._tau(both)

        def difference(is_kept: Kept) -> Floats:
            kept = is_kept.take(self._groups.order, axis=1)
            weights = np.concatenate([kept, 1 - kept], axis=1).take(both.order, axis=1)
            first, second = figures(weights.astype(np.int32))
            return mean_of_defined(first) - mean_of_defined(second)

        return difference

    def _rho(self, both: Ordering) -> Callable[[Counts], tuple[Floats, Floats]]:
        ranks = self._gold.centred_ranks(_ones(self._y))
        squares = self._gold.products(ranks, ranks)
        by_candidate = np.empty_like(ranks)
        by_candidate[:, self._gold.order] = ranks
        by_people = np.tile(by_candidate, 2).take(both.order, axis=1)

        def figures(weights: Counts) -> tuple[Floats, Floats]:
            first = spearman_of(both, weights, by_people, squares)
            return first, spearman_of(both, 1 - weights, by_people, squares)

        return figures

    def _tau(self, both: Ordering) -> Callable[[Counts], tuple[Floats, Floats]]:
        ties = gold_ties(self._gold, _ones(self._y), self.coefficient)
        every = both.inversions.count(_ones(both.order))
        involving = both.inversions.involving(np.ones(len(both.order))).astype(np.int32)[None]

        def figures(weights: Counts) -> tuple[Floats, Floats]:
            discordant = both.inversions.count(weights)
            first = kendall_of(both, weights, discordant, ties)
            # Of all inversions, those without any element of the first, as they are counted
            # once for one such element and twice for two.
            others = every - both.products(weights, involving) + discordant
            return first, kendall_of(both, 1 - weights, others, ties)

        return figures


def _ones(values: Floats | Integers) -> Counts:
    return np.ones((1, len(values)), dtype=np.int32)
