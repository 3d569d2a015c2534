"""A metric's order of the candidates, and what weights make of it: mid-ranks, ties, inversions.

A bootstrap resample takes a candidate w times, a swap of two metrics takes one of its two scores:
both weigh a fixed sequence of elements with whole numbers. So the sequence is sorted once, and each
draw costs a few cumulative sums instead of a sort. Sums are of 32-bit integers, which numpy adds up
ten times as fast as floats; they stay exact up to 2^31 elements a draw. Products are float64, exact
up to 2^53.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from benchmarks.stats.meta.groups import sums_between
from benchmarks.stats.meta.inversions import Inversions

# Weights handled at once: 1 MiB of int32, about a processor's second cache.
CHUNK_CELLS = 1 << 18


def rows_at_once(elements: int) -> int:
    """How many draws over so many elements are handled together."""
    return max(1, CHUNK_CELLS // max(1, elements))


class Ordering:
    """N elements sorted by group, then by x, then by y.

    `order`, (N,), has the element at each position. `x_ties` and `xy_ties`, (T + 1,), bound the
    runs of equal x, and of equal x and y, within a group.
    """

    def __init__(
        self, groups: NDArray[np.int64], x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> None:
        self.order = np.lexsort((y, x, groups))
        self._group, self._x, self._y = groups[self.order], x[self.order], y[self.order]
        new_group = _changes(self._group)
        new_x = new_group | _changes(self._x)
        self.group_bounds = _bounds(new_group)
        self.x_ties = _bounds(new_x)
        self.xy_ties = _bounds(new_x | _changes(self._y))

    @property
    def n_groups(self) -> int:
        return len(self.group_bounds) - 1

    @cached_property
    def inversions(self) -> Inversions:
        return Inversions(self._group, self._y)

    @cached_property
    def _of_tie(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.x_ties) - 1), np.diff(self.x_ties))

    @cached_property
    def _of_group(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(self.n_groups), np.diff(self.group_bounds))

    @property
    def untied(self) -> bool:
        return len(self.x_ties) - 1 == len(self.order)

    def centred_ranks(self, weights: NDArray[np.int32]) -> NDArray[np.int32]:
        """Twice the mid-rank of x less twice the mean rank, in its group: (D, N), in `order`.

        `weights`, (D, N), are in `order` too. With C the weight up to and with a position, twice
        the mid-rank of a tie from s to e is C(e) + C(s) + 1, counted from its group's start; twice
        the mean rank is the group's weight plus 1.
        """
        upto = cumulated(weights)
        if self.untied:
            ranks = upto[:, 1:] + upto[:, :-1]
        else:
            bounds = upto.take(self.x_ties, axis=1)
            ranks = (bounds[:, 1:] + bounds[:, :-1]).take(self._of_tie, axis=1)
        ends = upto.take(self.group_bounds, axis=1)
        middle = ends[:, 1:] + ends[:, :-1]
        ranks -= middle if self.n_groups == 1 else middle.take(self._of_group, axis=1)
        return np.asarray(ranks, dtype=np.int32)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over each group, (D, G), of values in `order`."""
        return sums_between(values, self.group_bounds[:-1])

    def totals(self, weights: NDArray[np.int32]) -> NDArray[np.float64]:
        """The weight of each group, (D, G)."""
        ends = cumulated(weights).take(self.group_bounds, axis=1)
        return np.diff(ends, axis=1).astype(np.float64)

    def tied_pairs(self, weights: NDArray[np.int32]) -> tuple[NDArray[np.float64], ...]:
        """Pairs tied in x, those tied in x and y, and distinct x: each (D, G)."""
        upto = cumulated(weights)
        x = np.diff(upto.take(self.x_ties, axis=1), axis=1).astype(np.float64)
        xy = np.diff(upto.take(self.xy_ties, axis=1), axis=1).astype(np.float64)
        x_starts = np.searchsorted(self.x_ties, self.group_bounds[:-1])
        xy_starts = np.searchsorted(self.xy_ties, self.group_bounds[:-1])
        return (
            sums_between(x * (x - 1), x_starts) / 2,
            sums_between(xy * (xy - 1), xy_starts) / 2,
            sums_between((x > 0).astype(np.float64), x_starts),
        )


def cumulated(weights: NDArray[np.int32]) -> NDArray[np.int32]:
    """Sums of (D, N) weights before each position and after the last: (D, N + 1)."""
    upto = np.empty((weights.shape[0], weights.shape[1] + 1), dtype=np.int32)
    upto[:, 0] = 0
    np.cumsum(weights, axis=1, out=upto[:, 1:])
    return upto


def _changes(values: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.bool_]:
    changed = np.ones(len(values), dtype=bool)
    changed[1:] = values[1:] != values[:-1]
    return changed


def _bounds(starting: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.append(np.flatnonzero(starting), len(starting)).astype(np.int64)
