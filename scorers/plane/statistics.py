"""The sufficient statistics of the plane: counts and gold scores of every judged candidate.

A candidate's counts are clipped matches and n-grams by order, of itself and of its references, and
two lengths. Every member of AEv needs only these counts, and a set's counts are the sum of its
candidates'. So texts are counted once, for every alpha, N, penalty and draw of the bootstrap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorers.aev.counts import NgramCounts


class PlaneError(ValueError):
    """Data or parameters are invalid, or too few, for the evaluation plane."""


#: The minimum number of systems for an R squared. With two systems it is always 1; with three
#: random ones it exceeds 0.9 in a fifth of all cases, with five in one of seventy.
MIN_SYSTEMS = 5


@dataclass(frozen=True, eq=False)
class PlaneSample:
    """Judged candidates of named systems.

    counts: int64 (n, 18), as in `scorers.aev.counts`. gold: float64 (n,), finite. systems,
    clusters: int64 (n,), codes from 0 without gaps; `system_names` is in the order of the codes.
    unjudged, without_system: the numbers of candidates left out because they have no gold score or
    no known system. Made by `of`, which validates.
    """

    counts: NDArray[np.int64]
    gold: NDArray[np.float64]
    systems: NDArray[np.int64]
    clusters: NDArray[np.int64]
    system_names: tuple[str, ...]
    unjudged: int = 0
    without_system: int = 0

    @classmethod
    def of(
        cls, counts: NgramCounts, gold: ArrayLike, *, systems: Sequence[str], clusters: ArrayLike
    ) -> PlaneSample:
        """A sample of candidates in any order; NaN in gold means "not judged".

        `systems` are names ("" for an unknown one), `clusters` the passages, by name or number; the
        bootstrap draws the answers about a passage together. A candidate without a gold score or a
        known system is left out. Raises PlaneError when shapes differ, when gold is infinite, and
        when fewer than five systems remain.
        """
        gold_values = np.asarray(gold, dtype=np.float64)
        names, passages = np.asarray(systems, dtype=object), np.asarray(clusters)
        n = len(counts.table)
        arrays = (("gold", gold_values), ("systems", names), ("clusters", passages))
        for argument, array in arrays:
            if array.shape != (n,):
                raise PlaneError(f"{argument} must have shape ({n},), not {array.shape}")
        if np.isinf(gold_values).any():
            raise PlaneError("gold has infinite values: give finite scores, or NaN for no score")
        is_judged = ~np.isnan(gold_values)
        has_system = np.array([bool(name) for name in names.tolist()], dtype=bool)
        selected = is_judged & has_system
        system_names, codes = np.unique(names[selected].astype(str), return_inverse=True)
        if len(system_names) < MIN_SYSTEMS:
            raise PlaneError(
                f"the plane needs at least {MIN_SYSTEMS} systems with judged answers, "
                f"not {len(system_names)}"
            )
        return cls(
            counts.table[selected].astype(np.int64),
            gold_values[selected],
            _to_int64(codes),
            _to_int64(np.unique(passages[selected], return_inverse=True)[1]),
            tuple(system_names.tolist()),
            int(np.count_nonzero(~is_judged)),
            int(np.count_nonzero(is_judged & ~has_system)),
        )

    @property
    def n(self) -> int:
        """Number of candidates."""
        return len(self.gold)

    @cached_property
    def cluster_count(self) -> int:
        """Number of clusters."""
        return int(self.clusters.max()) + 1

    @cached_property
    def candidates_by_system(self) -> tuple[NDArray[np.int64], ...]:
        """The indices of each system's candidates, in order."""
        order = np.argsort(self.systems, kind="stable")
        sizes = np.bincount(self.systems, minlength=len(self.system_names))
        return tuple(np.split(order, np.cumsum(sizes)[:-1]))

    def sums(
        self, values: NDArray[np.float64], multiplicity: NDArray[np.int32] | None = None
    ) -> NDArray[np.float64]:
        """Sums over each system of `values`, (n, k): (S, k), or (D, S, k) for D draws.

        `multiplicity` (D, clusters) is how often each draw contains each passage. Sums of integers
        are exact.
        """
        parts = []
        for rows in self.candidates_by_system:
            if multiplicity is None:
                parts.append(values[rows].sum(axis=0))
            else:
                drawn = multiplicity[:, self.clusters[rows]].astype(np.float64)
                parts.append(drawn @ values[rows])
        return np.stack(parts, axis=-2)


def _to_int64(codes: NDArray[np.intp]) -> NDArray[np.int64]:
    return codes.astype(np.int64).reshape(-1)
