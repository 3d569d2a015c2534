"""Does a judge order systems as people do? Differences of every two systems, paired by passage."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np

from concord.arrays import Floats, Integers
from concord.inference import POWER, clustered_mean
from concord.meta.inference.multiplicity import holm
from concord.planning.sample_size import fewest_units

ALPHA = 0.05
Verdict = Literal[
    "same order",
    "same order, not significant",
    "other order, not significant",
    "other order",
    "not separated",
]


@dataclass(frozen=True)
class SystemDifference:
    """first, second: two systems; the first has the higher mean of people. people, judge: the mean
    differences. p, judge_p: of H0 "people's (the judge's) difference is 0", adjusted by Holm's
    method for all pairs. needed, judge_needed: rated passages at which people's (the judge's)
    difference would be significant with a power of 80%, None where it is 0."""

    first: str
    second: str
    people: float
    judge: float
    p: float
    judge_p: float
    passages: int
    needed: int | None
    judge_needed: int | None
    verdict: Verdict = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdict", self._verdict())

    @property
    def is_separated(self) -> bool:
        """Whether people's difference is significant."""
        return self.p <= ALPHA

    def _verdict(self) -> Verdict:
        if not self.is_separated:
            return "not separated"
        is_clear = self.judge_p <= ALPHA
        if self.judge > 0:
            return "same order" if is_clear else "same order, not significant"
        return "other order" if is_clear else "other order, not significant"


def system_differences(
    scores: Floats, gold: Floats, systems: Integers, clusters: Integers, names: tuple[str, ...]
) -> list[SystemDifference]:
    """Every two systems that share at least two passages, by people's difference, largest first.

    scores: the judge's, higher is better. gold: people's. All (n,), finite; systems: codes of
    `names`, -1 for unknown, which is left out. A difference is the mean over shared passages of
    the difference of both systems' means of that passage; p by the t-test over passages.
    """
    count = int(clusters.max(initial=0)) + 1
    human, judge = (
        _passage_means(values, systems, clusters, len(names), count) for values in (gold, scores)
    )
    pairs = []
    for a, b in combinations(range(len(names)), 2):
        shared = ~np.isnan(human[a] - human[b])
        if shared.sum() < 2:
            continue
        of_people, of_judge = (means[a, shared] - means[b, shared] for means in (human, judge))
        turn = 1.0 if of_people.mean() >= 0 else -1.0
        pairs.append(((a, b) if turn > 0 else (b, a), turn * of_people, turn * of_judge))
    p = holm(np.array([_t_test(one) for _, one, _ in pairs], dtype=np.float64)).tolist()
    judge_p = holm(np.array([_t_test(one) for *_, one in pairs], dtype=np.float64)).tolist()
    rows = [
        SystemDifference(
            first=names[first],
            second=names[second],
            people=float(of_people.mean()),
            judge=float(of_judge.mean()),
            p=p[row],
            judge_p=judge_p[row],
            passages=len(of_people),
            needed=_needed(of_people, ALPHA / len(pairs)),
            judge_needed=_needed(of_judge, ALPHA / len(pairs)),
        )
        for row, ((first, second), of_people, of_judge) in enumerate(pairs)
    ]
    return sorted(rows, key=lambda row: -row.people)


def _passage_means(
    values: Floats, systems: Integers, clusters: Integers, n_systems: int, n_clusters: int
) -> Floats:
    """The mean of each system's values in each passage, (systems, passages), NaN without any."""
    known = systems >= 0
    cells = systems[known] * n_clusters + clusters[known]
    sums, n = (
        np.bincount(cells, weights=weights, minlength=n_systems * n_clusters)
        for weights in (values[known], np.ones(int(known.sum())))
    )
    with np.errstate(invalid="ignore"):
        return np.asarray((sums / n).reshape(n_systems, n_clusters))


def _t_test(differences: Floats) -> float:
    """Two-sided p-value of H0 "the mean is 0"; of differences that are all equal, the sign test."""
    n = len(differences)
    p = clustered_mean(differences, np.arange(n), null=0.0).p
    return 0.5 ** (n - 1) if p is None else p


def _needed(differences: Floats, alpha: float) -> int | None:
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    return fewest_units(spread / abs(mean), alpha / 2, 1 - POWER) if mean else None
