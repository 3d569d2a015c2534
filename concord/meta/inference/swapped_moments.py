"""Pearson's r of two metrics after swaps, for all pairs of metrics by one matrix product.

With s = 1 where a unit keeps its scores and -1 where it swaps, the first metric becomes
(a + b) / 2 + s (a - b) / 2 and the second the same with a minus. Its sums over a group are then
sums of a and b alone and signed sums: for any quantity f (a, a^2 or a y),

    sum f' = (sum f_a + sum f_b) / 2 +- (sum s f_a - sum s f_b) / 2.

So the matrix product with the signs is needed for the three quantities of each metric, not of each
pair.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from concord.arrays import Booleans, Floats
from concord.inference.products import stacked_product
from concord.meta.inference.estimators import ROUNDING
from concord.meta.inference.sample import Grouping, ScoredSample


class PearsonSwaps:
    """The differences of all pairs of a sample's metrics, which are standardised."""

    def __init__(self, sample: ScoredSample, grouping: Grouping) -> None:
        self.sample, self.groups = sample, sample.groups(grouping)

    @cached_property
    def _table(self) -> tuple[Floats, Booleans]:
        """x, x^2 and x y of each metric, (3 M, N), y of norm 1; and which groups' y varies."""
        order = self.groups.order
        gold = self.groups.standardise(self.sample.gold[order])
        x = self.sample.scores[:, order]
        return np.concatenate([x, x * x, x * gold]), self.groups.sums(gold**2) > 0

    def differences(self, is_kept: Booleans) -> Floats:
        """First less second of each pair i < j in each draw, (D, P).

        `is_kept`, (D, n), is False where a candidate's scores are swapped.
        """
        m, draws = len(self.sample.scores), len(is_kept)
        table, varies = self._table
        pairs = m * (m - 1) // 2
        sums, used = np.zeros((2, pairs, draws)), np.zeros((2, pairs, draws))
        signs = np.where(is_kept.take(self.groups.order, axis=1), 1.0, -1.0)
        for which, positions in self.groups.buckets(len(table) * draws):
            if not varies[which].any():
                continue
            varying = positions[varies[which]]
            values = table[:, varying].transpose(1, 0, 2)  # (k, 3 M, size)
            plain = values.sum(axis=2)
            signed = stacked_product(values, signs[:, varying].transpose(1, 2, 0))  # (k, 3 M, D)
            start = 0
            for i in range(m - 1):
                rows = slice(start, start + m - 1 - i)
                _add(sums[:, rows], used[:, rows], plain, signed, i, m, varying.shape[1])
                start = rows.stop
        means = np.divide(sums, used, out=np.full(sums.shape, np.nan), where=used > 0)
        return np.asarray((means[0] - means[1]).T)


def _add(
    sums: Floats, used: Floats, plain: Floats, signed: Floats, i: int, m: int, size: int
) -> None:
    """Add to `sums` and `used`, (2, m - 1 - i, D), r of metric i and of each later one, swapped."""

    def halves(quantity: int) -> tuple[Floats, Floats]:
        index = quantity * m + i
        later = slice(index + 1, (quantity + 1) * m)
        even = (plain[:, index, None] + plain[:, later])[..., None] / 2
        return even, (signed[:, index, None] - signed[:, later]) / 2

    x, xx, xy = halves(0), halves(1), halves(2)
    for side, sign in enumerate((1.0, -1.0)):
        mean = x[0] + sign * x[1]
        variance = xx[0] + sign * xx[1] - mean * mean / size
        defined = variance > ROUNDING
        r = np.divide(
            xy[0] + sign * xy[1],
            np.sqrt(np.maximum(variance, ROUNDING)),
            out=np.zeros_like(variance),
            where=defined,
        )
        sums[side] += r.sum(axis=0)
        used[side] += defined.sum(axis=0)
