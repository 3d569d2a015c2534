"""The result of a test of every pair of metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from concord.arrays import Floats
from concord.meta.inference.estimators import Coefficient
from concord.meta.inference.multiplicity import holm
from concord.meta.inference.sample import Grouping

Test = Literal["perm-both", "paired-bootstrap", "williams", "mcnemar"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """A test of every pair of M metrics. Matrices are (M, M); entry [i, j] compares metric i with
    metric j. They are NaN on the diagonal and where a metric has no figure.

    values: (M,), each metric's figure, higher is better. delta: values[i] - values[j]. p_greater:
    one-sided p-value of the alternative "i is better than j". p: two-sided, symmetric. low, high: a
    95% interval of delta, where the test has one. p_family: two-sided, adjusted for all pairs by
    the joint distribution of the draws (Westfall and Young), for a permutation test. draws: number
    of draws; None for a test without any.
    """

    test: Test
    metrics: tuple[str, ...]
    coefficient: Coefficient | None
    grouping: Grouping | None
    values: Floats
    delta: Floats
    p_greater: Floats
    p: Floats
    draws: int | None = None
    low: Floats | None = None
    high: Floats | None = None
    p_family: Floats | None = None

    @property
    def p_holm(self) -> Floats:
        """`p` adjusted by Holm's method for all pairs that were tested, (M, M)."""
        adjusted = np.full_like(self.p, np.nan)
        upper = np.triu_indices(len(self.metrics), 1)
        adjusted[upper] = holm(self.p[upper])
        adjusted.T[upper] = adjusted[upper]
        return adjusted

    @property
    def pairs(self) -> int:
        """Number of tested pairs."""
        upper = np.triu_indices(len(self.metrics), 1)
        return int(np.count_nonzero(~np.isnan(self.p[upper])))

    def resolves(self, alpha: float = 0.05) -> bool:
        """Whether there are enough draws for Holm's method to reject any hypothesis at `alpha`.

        The smallest p-value of k draws is 1 / (k + 1); with m pairs it must be at most alpha / m.
        """
        return self.draws is None or self.pairs / (self.draws + 1) <= alpha


def draws_needed(metrics: int, alpha: float = 0.05) -> int:
    """Smallest number of draws with which Holm's method can reject a hypothesis at `alpha`."""
    pairs = metrics * (metrics - 1) // 2
    return max(1, int(np.ceil(pairs / alpha)) - 1)


def pair_matrix(pairs: Floats, metrics: int, *, mirrored: str) -> Floats:
    """A matrix from the values of pairs i < j, in the order of `np.triu_indices`; [j, i] is the
    `same` or the `negative`."""
    matrix = np.full((metrics, metrics), np.nan)
    upper = np.triu_indices(metrics, 1)
    matrix[upper] = pairs
    matrix.T[upper] = pairs if mirrored == "same" else -pairs
    return matrix
