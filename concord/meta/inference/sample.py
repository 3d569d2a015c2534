"""Samples: the scores of metrics and the gold scores of judged candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from concord.arrays import Booleans, Floats, Integers
from concord.documents.human_agreement import Grouping as Grouping
from concord.meta.correlation import undefined_reason
from concord.meta.groups import Groups

GROUPINGS: tuple[Grouping, ...] = ("none", "item", "sys")
UNKNOWN = -1


class SampleError(ValueError):
    """An invalid sample, or a request that the sample does not allow."""


@dataclass(frozen=True, eq=False)
class ScoredSample:
    """Judged candidates with the scores of M metrics, oriented so that higher is better.

    metrics: their names. scores: float64 (M, n), NaN where a metric has no score; its figures are
    then undefined, so that a metric cannot gain by leaving out hard items. gold: float64 (n,),
    finite. items, clusters: int64 (n,), codes of each candidate's instance and passage, from 0
    without gaps. systems: int64 (n,), codes, or UNKNOWN (-1). unjudged: number of candidates that
    were left out because they have no gold score. A system may lack instances, or have several
    candidates for one. `from_scores` validates its input.
    """

    metrics: tuple[str, ...]
    scores: Floats
    gold: Floats
    items: Integers
    systems: Integers
    clusters: Integers
    system_names: tuple[str, ...]
    unjudged: int = 0

    @classmethod
    def from_scores(
        cls,
        scores: dict[str, Floats],
        gold: ArrayLike,
        *,
        items: ArrayLike,
        systems: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
    ) -> ScoredSample:
        """A sample of candidates in any order; a NaN in gold means "not judged".

        `items`, `systems` ("" or None for unknown) and `clusters` (the items by default) are names
        or numbers, one a candidate. Raises SampleError where shapes differ, gold or a score is
        infinite, or an item lies in two clusters.
        """
        people = np.asarray(gold, dtype=np.float64)
        if people.ndim != 1 or not scores:
            raise SampleError("gold must be a vector, and there must be at least one metric")
        table = _table(scores, len(people))
        if np.isinf(people).any():
            raise SampleError("gold has infinite values")
        judged = ~np.isnan(people)
        item = _codes(items, judged, "items")[0]
        cluster = item if clusters is None else _codes(clusters, judged, "clusters")[0]
        if len(np.unique(np.stack([item, cluster]), axis=1).T) != len(np.unique(item)):
            raise SampleError("an item is in more than one cluster")
        names: list[Any] = []
        system = np.full(len(item), UNKNOWN, dtype=np.int64)
        if systems is not None:
            system, names = _codes(systems, judged, "systems")
            if names and names[0] == "":  # the empty name sorts first
                system, names = system - 1, names[1:]
        return cls(
            metrics=tuple(scores),
            scores=np.ascontiguousarray(table[:, judged]),
            gold=people[judged],
            items=item,
            systems=system,
            clusters=cluster,
            system_names=tuple(str(name) for name in names),
            unjudged=int(np.count_nonzero(~judged)),
        )

    @property
    def n(self) -> int:
        return len(self.gold)

    @cached_property
    def missing(self) -> Integers:
        """Number of candidates without a score of each metric, (M,)."""
        return np.asarray(np.count_nonzero(np.isnan(self.scores), axis=1), dtype=np.int64)

    def undefined_reason(self, metric: int) -> str:
        """Why no figure of this metric is defined, or ""."""
        return undefined_reason(self.scores[metric])

    @cached_property
    def has_figures(self) -> Booleans:
        """Which metrics have a score for every candidate, and not always the same, (M,)."""
        reasons = map(self.undefined_reason, range(len(self.metrics)))
        return np.array([self.n > 0 and not reason for reason in reasons], dtype=bool)

    @cached_property
    def filled_scores(self) -> Floats:
        """`scores`, with zeros for metrics that miss a score."""
        return np.where((self.missing == 0)[:, None], self.scores, 0.0)

    def groups(self, grouping: Grouping) -> Groups:
        """The candidates as one group, by item or by system; unknown systems are left out."""
        if grouping == "none":
            return Groups.from_codes(np.zeros(self.n, dtype=np.int64))
        if grouping not in GROUPINGS:
            raise SampleError(f"{grouping!r} is none of {', '.join(GROUPINGS)}")
        return Groups.from_codes(self.items if grouping == "item" else self.systems)

    def select_candidates(self, mask: Booleans) -> ScoredSample:
        """The sample with the candidates where `mask` is True."""
        return replace(
            self,
            scores=np.ascontiguousarray(self.scores[:, mask]),
            gold=self.gold[mask],
            items=_dense(self.items[mask]),
            systems=self.systems[mask],
            clusters=_dense(self.clusters[mask]),
            unjudged=0,
        )

    def select_metrics(self, metrics: Sequence[int]) -> ScoredSample:
        """The sample with the metrics of these indices."""
        names = tuple(self.metrics[m] for m in metrics)
        return replace(self, metrics=names, scores=self.scores[list(metrics)])


def _table(scores: dict[str, Floats], n: int) -> Floats:
    for name, values in scores.items():
        if np.shape(values) != (n,):
            raise SampleError(f"{name} has shape {np.shape(values)}, gold ({n},)")
    table = np.stack([np.asarray(values, dtype=np.float64) for values in scores.values()])
    infinite = np.isinf(table).any(axis=1)
    if infinite.any():
        raise SampleError(f"{list(scores)[int(np.argmax(infinite))]} holds infinite values")
    return table


def _codes(names: ArrayLike, judged: Booleans, what: str) -> tuple[Integers, list[Any]]:
    values = np.asarray(names)
    if values.shape != judged.shape:
        raise SampleError(f"{what} has shape {values.shape}, gold {judged.shape}")
    if values.dtype == object:
        values = np.array(["" if name is None else str(name) for name in values.tolist()])
    names_found, codes = np.unique(values[judged], return_inverse=True)
    return codes.astype(np.int64).reshape(-1), names_found.tolist()


def _dense(codes: Integers) -> Integers:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64).reshape(-1)
