"""Spearman's rho and Kendall's taus of two metrics after swaps.

The scores of both metrics are sorted together once. A swap selects one of the two scores of each
candidate, so a draw gives the 2 n sorted scores weights 0 and 1, as a bootstrap weights candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from concord.arrays import Counts, Floats
from concord.meta.groups import mean_of_defined
from concord.meta.inference.estimators import Coefficient, gold_ties, kendall_of, spearman_of
from concord.meta.inference.orderings import Ordering, rows_at_once
from concord.meta.inference.sample import Grouping, ScoredSample

Kept = NDArray[np.uint8]
Figures = Callable[[Counts], tuple[Floats, Floats]]


class RankSwaps:
    """The differences of single pairs of a sample's metrics, which are standardised."""

    def __init__(self, sample: ScoredSample, grouping: Grouping, coefficient: Coefficient) -> None:
        self.coefficient = coefficient
        self._groups = sample.groups(grouping)
        self._x = sample.scores[:, self._groups.order]
        self._y = sample.gold[self._groups.order]

    @property
    def rows_at_once(self) -> int:
        return rows_at_once(2 * len(self._y))

    @cached_property
    def _gold(self) -> Ordering:
        return Ordering(self._groups.of_position, self._y, self._y)

    @cached_property
    def _once(self) -> Counts:
        return np.ones((1, len(self._y)), dtype=np.int32)

    def of_pair(self, i: int, j: int) -> Callable[[Kept], Floats]:
        """A function from (D, n), 0 where a candidate's scores are swapped, to first less second
        in each draw, (D,)."""
        group = np.tile(self._groups.of_position, 2)
        both = Ordering(group, np.concatenate([self._x[i], self._x[j]]), np.tile(self._y, 2))
        figures = self._rho(both) if self.coefficient == "spearman" else self._tau(both)

        def difference(is_kept: Kept) -> Floats:
            first_weights = is_kept.take(self._groups.order, axis=1)
            weights = np.concatenate([first_weights, 1 - first_weights], axis=1).take(
                both.order, axis=1
            )
            first, second = figures(weights.astype(np.int32))
            return mean_of_defined(first) - mean_of_defined(second)

        return difference

    def _rho(self, both: Ordering) -> Figures:
        ranks = self._gold.centred_ranks(self._once)
        squares = self._gold.products(ranks, ranks)
        by_candidate = np.empty_like(ranks)
        by_candidate[:, self._gold.order] = ranks
        by_people = np.tile(by_candidate, 2).take(both.order, axis=1)

        def figures(weights: Counts) -> tuple[Floats, Floats]:
            first = spearman_of(both, weights, by_people, squares)
            return first, spearman_of(both, 1 - weights, by_people, squares)

        return figures

    def _tau(self, both: Ordering) -> Figures:
        ties = gold_ties(self._gold, self._once, self.coefficient)
        once = np.ones((1, len(both.order)), dtype=np.int32)
        every = both.inversions.count(once)
        involving = both.inversions.involving(np.ones(len(both.order))).astype(np.int32)[None]

        def figures(weights: Counts) -> tuple[Floats, Floats]:
            discordant = both.inversions.count(weights)
            first = kendall_of(both, weights, discordant, ties)
            # Of all inversions, those without any element of the first, as they are counted
            # once for one such element and twice for two.
            others = every - both.products(weights, involving) + discordant
            return first, kendall_of(both, 1 - weights, others, ties)

        return figures
