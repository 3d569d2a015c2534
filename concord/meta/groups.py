"""Groups of candidates, and sums over each group for many draws at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from concord.arrays import Booleans, Counts, Floats, Integers
from concord.inference.products import stacked_product

# Cells of float64 held at once: 16 MiB, which stays in a processor's larger caches.
BLOCK_CELLS = 1 << 21


@dataclass(frozen=True, eq=False)
class Groups:
    """G groups, none empty, in ascending order of their codes.

    codes: int64 (G,). order: int64 (N,), the candidates group by group, in their own order within
    each; those with a negative code are in no group. starts, sizes: int64 (G,), into `order`.
    """

    codes: Integers
    order: Integers
    starts: Integers
    sizes: Integers

    @classmethod
    def from_codes(cls, codes: Integers) -> Groups:
        """Groups from the group code of each element; negative codes have no group."""
        order = np.argsort(codes, kind="stable")
        order = order[codes[order] >= 0]
        group_codes, starts, sizes = np.unique(codes[order], return_index=True, return_counts=True)
        return cls(group_codes, order, starts.astype(np.int64), sizes.astype(np.int64))

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def of_position(self) -> Integers:
        """The group of each position of `order`, (N,)."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def sums(self, values: Floats) -> Floats:
        """Sums over each group, (..., G), of values in `order`, (..., N)."""
        return sums_between(values, self.starts)

    def constant(self, values: Floats) -> Booleans:
        """Whether all of a group's values are equal, (..., G), of values in `order`."""
        if not len(self):
            return np.zeros((*values.shape[:-1], 0), dtype=bool)
        low = np.minimum.reduceat(values, self.starts, axis=-1)
        return np.asarray(low == np.maximum.reduceat(values, self.starts, axis=-1))

    def centre(self, values: Floats) -> Floats:
        """Values in `order` less their group's mean; exactly zero where a group's are all equal."""
        means = self.sums(values) / self.sizes
        means = np.where(self.constant(values), values[..., self.starts], means)
        return values - np.repeat(means, self.sizes, axis=-1)

    def standardise(self, values: Floats) -> Floats:
        """Values in `order` with mean 0 and sum of squares 1 in each group, or all zero."""
        centred = self.centre(values)
        norms = np.repeat(np.sqrt(self.sums(centred**2)), self.sizes, axis=-1)
        return np.asarray(np.divide(centred, norms, out=np.zeros_like(centred), where=norms > 0))

    def buckets(self, cells: int) -> Iterator[tuple[Integers, Integers]]:
        """Groups of one size together: which they are, (k,), and their positions, (k, size).

        At most as many groups at once as have BLOCK_CELLS with `cells` cells each, at least one.
        """
        max_groups = max(1, BLOCK_CELLS // max(1, cells))
        for size in np.unique(self.sizes).tolist():
            which = np.flatnonzero(self.sizes == size)
            for start in range(0, len(which), max_groups):
                part = which[start : start + max_groups]
                yield part, self.starts[part][:, None] + np.arange(size)

    def weighted_sums(
        self, table: Floats, weights: Counts | Floats, more_cells: int = 0
    ) -> Iterator[tuple[Integers, Floats]]:
        """Sums over groups of one size, bucket by bucket: which they are, (k,), and the sums,
        (k, R, D), of a table (R, N) under weights (D, N), both in `order`. more_cells: those that
        the caller needs for each group besides."""
        for which, positions in self.buckets(len(table) * len(weights) + more_cells):
            taken = weights[:, positions].transpose(1, 2, 0).astype(np.float64)
            yield which, stacked_product(table[:, positions].transpose(1, 0, 2), taken)


def sums_between(values: Floats, starts: Integers) -> Floats:
    """Sums along the last axis from each start to the next; starts ascend strictly from 0."""
    if len(starts) == 1:
        return np.asarray(values.sum(axis=-1, keepdims=True))
    if not len(starts):
        return np.zeros((*values.shape[:-1], 0))
    return np.asarray(np.add.reduceat(values, starts, axis=-1))


def products_between(left: Counts, right: Counts, starts: Integers) -> Floats:
    """Sums of products along the last axis from each start to the next, exact up to 2^53.

    `left` is (D, N), `right` the same or (1, N). A single sum is several times as fast.
    """
    if len(starts) == 1:
        row = right[0] if len(right) == 1 else right
        names = "dn,n->d" if len(right) == 1 else "dn,dn->d"
        return np.asarray(np.einsum(names, left, row, dtype=np.int64)[:, None], dtype=np.float64)
    if not len(starts):
        return np.zeros((len(left), 0))
    products = np.multiply(left, right, dtype=np.int64)
    return np.add.reduceat(products, starts, axis=1).astype(np.float64)


def mean_of_defined(values: Floats, weights: Floats | None = None) -> Floats:
    """Weighted means along the last axis of the values other than NaN; NaN where there are none."""
    defined = ~np.isnan(values)
    shares = defined.astype(np.float64) if weights is None else np.where(defined, weights, 0.0)
    total = shares.sum(axis=-1)
    sums = (np.where(defined, values, 0.0) * shares).sum(axis=-1)
    return ratio(sums, total)


def ratio(above: Floats, below: Floats) -> Floats:
    """above / below, of one shape; NaN where `below` is not positive."""
    out = np.full(above.shape, np.nan)
    return np.asarray(np.divide(above, below, out=out, where=below > 0))
