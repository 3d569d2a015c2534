"""The door of the plane: what is known of every judged candidate, as numbers that can be summed.

A candidate's counts (clipped matches and n-grams by order, of itself and of its references, and two
lengths) are all that any member of AEv needs, and a set's are the sum of its candidates'. So texts
are looked at once, whatever is then asked of them: another alpha, another N, a penalty, a draw of
the bootstrap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorers import Item, Session
from scorers.aev.counts import Counts, item_counts
from scorers.aev.preparation import Preparation
from scorers.plane.errors import PlaneError

#: Five points are the fewest for which an R squared is shown: with two it is 1, and with three
#: random ones it passes 0.9 in a fifth of all cases, with five in one of seventy.
MIN_SYSTEMS = 5


def count_candidates(items: Sequence[Item], preparation: Preparation, session: Session) -> Counts:
    """The counts of each candidate against all its references: a table of shape (n, 18), int64.

    Raises ValueError for an item without references, JavaError when the tokeniser fails for good.
    """
    return item_counts(items, preparation, session)


@dataclass(frozen=True, eq=False)
class PlaneSample:
    """Judged candidates of named systems.

    counts: int64 (n, 18), as in `scorers.aev.counts`. gold: float64 (n,), finite. systems,
    clusters: int64 (n,), codes from 0 without gaps, `system_names` in the order of the codes.
    unjudged, nameless: how many candidates were left out because nobody judged them, or because
    their system is not known. Made by `of`, which checks.
    """

    counts: NDArray[np.int64]
    gold: NDArray[np.float64]
    systems: NDArray[np.int64]
    clusters: NDArray[np.int64]
    system_names: tuple[str, ...]
    unjudged: int = 0
    nameless: int = 0

    @classmethod
    def of(
        cls, counts: Counts, gold: ArrayLike, *, systems: Sequence[str], clusters: ArrayLike
    ) -> PlaneSample:
        """A sample of candidates in any order; NaN in gold means "not judged".

        `systems` are names ("" where unknown), `clusters` the passages, by name or number: answers
        about one are drawn together by the bootstrap. A candidate that is not judged, or whose
        system is unknown, is left out of gold and counts alike. Raises PlaneError where shapes
        differ, gold is infinite, or fewer than five systems remain.
        """
        people = np.asarray(gold, dtype=np.float64)
        names, passages = np.asarray(systems, dtype=object), np.asarray(clusters)
        n = len(counts.table)
        for what, given in (("gold", people), ("systems", names), ("clusters", passages)):
            if given.shape != (n,):
                raise PlaneError(f"{what} has shape {given.shape}, there are {n} candidates")
        if np.isinf(people).any():
            raise PlaneError("gold holds infinite values")
        judged = ~np.isnan(people)
        named = np.array([bool(name) for name in names.tolist()], dtype=bool)
        kept = judged & named
        found, codes = np.unique(names[kept].astype(str), return_inverse=True)
        if len(found) < MIN_SYSTEMS:
            raise PlaneError(
                f"the plane needs {MIN_SYSTEMS} systems or more with judged answers, "
                f"there {_systems(len(found))}"
            )
        return cls(
            counts.table[kept].astype(np.int64),
            people[kept],
            _to_int64(codes),
            _to_int64(np.unique(passages[kept], return_inverse=True)[1]),
            tuple(found.tolist()),
            int(np.count_nonzero(~judged)),
            int(np.count_nonzero(judged & ~named)),
        )

    @property
    def n(self) -> int:
        return len(self.gold)

    @cached_property
    def cluster_count(self) -> int:
        return int(self.clusters.max()) + 1

    @cached_property
    def of_system(self) -> tuple[NDArray[np.int64], ...]:
        """The candidates of each system, in their order."""
        order = np.argsort(self.systems, kind="stable")
        sizes = np.bincount(self.systems, minlength=len(self.system_names))
        return tuple(np.split(order, np.cumsum(sizes)[:-1]))

    def sums(
        self, values: NDArray[np.float64], taken: NDArray[np.int32] | None = None
    ) -> NDArray[np.float64]:
        """Sums over each system of `values`, (n, k): (S, k), or (D, S, k) for D draws.

        `taken` (D, clusters) says how often each draw takes each passage. Exact for integers.
        """
        parts = []
        for rows in self.of_system:
            if taken is None:
                parts.append(values[rows].sum(axis=0))
            else:
                parts.append(taken[:, self.clusters[rows]].astype(np.float64) @ values[rows])
        return np.stack(parts, axis=-2)


def _to_int64(codes: NDArray[np.intp]) -> NDArray[np.int64]:
    return codes.astype(np.int64).reshape(-1)


def _systems(count: int) -> str:
    return {0: "is none", 1: "is one"}.get(count, f"are {count}")
