"""Spearman's rho and Kendall's taus of two metrics after swaps.

The scores of both metrics are sorted together once; a swap takes one of each candidate's two, so a
draw weighs the 2 n sorted scores with zeros and ones, as a bootstrap weighs candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from benchmarks.stats.meta.estimators import Coefficient, kendall_of, spearman_of, squares
from benchmarks.stats.meta.groups import mean_of_defined
from benchmarks.stats.meta.orderings import Ordering, rows_at_once
from benchmarks.stats.meta.sample import Grouping, Sample

Kept = NDArray[np.uint8]


class RankSwaps:
    """The differences of single pairs of a sample's metrics, which are standardised."""

    def __init__(self, sample: Sample, grouping: Grouping, coefficient: Coefficient) -> None:
        self.coefficient = coefficient
        self._groups = sample.groups(grouping)
        self._x = sample.scores[:, self._groups.order]
        self._y = sample.gold[self._groups.order]

    @property
    def rows_at_once(self) -> int:
        return rows_at_once(2 * len(self._y))

    @cached_property
    def _gold(self) -> tuple[NDArray[np.int32], tuple[NDArray[np.float64], ...]]:
        """Gold's centred ranks of each candidate, (N,), and (1, G) each: the sum of their squares,
        tied pairs, distinct values."""
        ordering = Ordering(self._groups.of_position, self._y, self._y)
        once = np.ones((1, len(self._y)), dtype=np.int32)
        ranks = ordering.centred_ranks(once)
        tied, _, distinct = ordering.tied_pairs(once)
        by_candidate = np.empty(len(self._y), dtype=np.int32)
        by_candidate[ordering.order] = ranks[0]
        return by_candidate, (ordering.sums(squares(once, ranks)), tied, distinct)

    def of_pair(self, i: int, j: int) -> Callable[[Kept], NDArray[np.float64]]:
        """A function from (D, n), 0 where a candidate's scores are swapped, to first less second
        in each draw, (D,)."""
        group = np.tile(self._groups.of_position, 2)
        both = Ordering(group, np.concatenate([self._x[i], self._x[j]]), np.tile(self._y, 2))

        def difference(kept: Kept) -> NDArray[np.float64]:
            ours = kept.take(self._groups.order, axis=1)
            taken = np.concatenate([ours, 1 - ours], axis=1).take(both.order, axis=1)
            weights = taken.astype(np.int32)
            return self._mean(both, weights) - self._mean(both, 1 - weights)

        return difference

    def _mean(self, both: Ordering, weights: NDArray[np.int32]) -> NDArray[np.float64]:
        by_candidate, (square_sums, tied, distinct) = self._gold
        if self.coefficient == "spearman":
            ranks = np.tile(by_candidate, 2)[both.order][None]
            found = spearman_of(both, weights, ranks, square_sums)
        else:
            found = kendall_of(both, weights, tied, distinct, self.coefficient)
        return mean_of_defined(found)
