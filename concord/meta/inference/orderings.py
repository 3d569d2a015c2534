"""Weighted mid-ranks, ties and inversions of a sorted sequence.

A bootstrap resample contains a candidate w times; a swap of two metrics uses one of its two scores.
Both are integer weights of a fixed sequence. So the sequence is sorted once, and each draw needs
only cumulative sums. Sums use 32-bit integers, which are ten times as fast in numpy as floats, and
are exact up to 2^31 elements per draw. Products are float64, exact up to 2^53.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from concord.arrays import Booleans, Counts, Floats, Integers
from concord.meta.groups import products_between, sums_between
from concord.meta.inversions import Inversions

# Weights per chunk: 1 MiB of int32, about the size of a processor's second-level cache.
CHUNK_CELLS = 1 << 18


@dataclass(frozen=True, eq=False)
class OrderingCounts:
    """Of each draw and group, (D, G): the weight, and the pairs tied in x, and in both x and y."""

    weight: Floats
    tied_x: Floats
    tied_both: Floats

    @property
    def every(self) -> Floats:
        """Number of pairs in each group."""
        return self.weight * (self.weight - 1) / 2


class Ordering:
    """N elements sorted by group, then by x, then by y.

    `order`, (N,), has the element at each position. `x_ties` and `xy_ties`, (T + 1,), bound the
    runs of equal x, and of equal x and y, within a group.
    """

    def __init__(self, groups: Integers, x: Floats, y: Floats) -> None:
        self.order = np.lexsort((y, x, groups))
        self._group, self._x, self._y = groups[self.order], x[self.order], y[self.order]
        new_group = _changes(self._group)
        new_x = new_group | _changes(self._x)
        self.group_bounds = _bounds(new_group)
        self.x_ties = _bounds(new_x)
        self.xy_ties = _bounds(new_x | _changes(self._y))

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.group_bounds) - 1

    @cached_property
    def inversions(self) -> Inversions:
        """The structure that counts discordant pairs."""
        return Inversions(self._group, self._y)

    @cached_property
    def _of_tie(self) -> Integers:
        return np.repeat(np.arange(len(self.x_ties) - 1), np.diff(self.x_ties))

    @cached_property
    def _of_group(self) -> Integers:
        return np.repeat(np.arange(self.n_groups), np.diff(self.group_bounds))

    @property
    def untied(self) -> bool:
        """Whether all values of x differ within their group."""
        return len(self.x_ties) - 1 == len(self.order)

    def centred_ranks(self, weights: Counts) -> Counts:
        """Twice the mid-rank of x less twice the mean rank, in its group: (D, N), in `order`.

        `weights`, (D, N), are in `order` too. With C the weight up to and with a position, twice
        the mid-rank of a tie from s to e is C(e) + C(s) + 1, counted from its group's start; twice
        the mean rank is the group's weight plus 1.
        """
        upto = cumulate(weights)
        if self.untied:
            ranks = upto[:, 1:] + upto[:, :-1]
        else:
            bounds = upto.take(self.x_ties, axis=1)
            ranks = (bounds[:, 1:] + bounds[:, :-1]).take(self._of_tie, axis=1)
        ends = upto.take(self.group_bounds, axis=1)
        middle = ends[:, 1:] + ends[:, :-1]
        ranks -= middle if self.n_groups == 1 else middle.take(self._of_group, axis=1)
        return np.asarray(ranks, dtype=np.int32)

    def products(self, left: Counts, right: Counts) -> Floats:
        """Sums over each group, (D, G), of products of two arrays in `order`, (D, N)."""
        return products_between(left, right, self.group_bounds[:-1])

    def pairs(self, weights: Counts) -> OrderingCounts:
        """Pairs in each group under weights (D, N), in `order`; a candidate taken w times makes
        w (w - 1) / 2 of them, tied in all."""
        upto = cumulate(weights)
        total = np.diff(upto.take(self.group_bounds, axis=1), axis=1).astype(np.float64)
        tied_x = self._tied(upto, self.x_ties)
        # Where all x differ, the only ties are repetitions of an element, in x and in y.
        tied_both = tied_x if self.untied else self._tied(upto, self.xy_ties)
        return OrderingCounts(total, tied_x, tied_both)

    def distinct(self, weights: Counts) -> Floats:
        """Number of different x in each group under weights (D, N), in `order`: (D, G)."""
        runs = np.diff(cumulate(weights).take(self.x_ties, axis=1), axis=1)
        starts = np.searchsorted(self.x_ties, self.group_bounds[:-1])
        return sums_between((runs > 0).astype(np.float64), starts)

    def _tied(self, upto: Counts, ties: Integers) -> Floats:
        runs = np.diff(upto if self.untied else upto.take(ties, axis=1), axis=1)
        starts = np.searchsorted(ties, self.group_bounds[:-1])
        return products_between(runs, runs - 1, starts) / 2


def cumulate(weights: Counts) -> Counts:
    """Sums of (D, N) weights before each position and after the last: (D, N + 1)."""
    upto = np.empty((weights.shape[0], weights.shape[1] + 1), dtype=np.int32)
    upto[:, 0] = 0
    np.cumsum(weights, axis=1, out=upto[:, 1:])
    return upto


def _changes(values: Floats | Integers) -> Booleans:
    changed = np.ones(len(values), dtype=bool)
    changed[1:] = values[1:] != values[:-1]
    return changed


def _bounds(starting: Booleans) -> Integers:
    return np.append(np.flatnonzero(starting), len(starting)).astype(np.int64)
