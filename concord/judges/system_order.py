"""Does a judge order systems as people do? Differences of every two systems, paired by passage."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from concord.inference import POWER, two_sided_p
from concord.meta.inference.multiplicity import holm
from concord.planning.sample_size import fewest_units

ALPHA = 0.05
Verdict = Literal["same order", "other order, not significant", "other order", "not separated"]


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

    @property
    def is_separated(self) -> bool:
        """Whether people's difference is significant."""
        return self.p <= ALPHA

    @property
    def verdict(self) -> Verdict:
        if not self.is_separated:
            return "not separated"
        if self.judge > 0:
            return "same order"
        return "other order" if self.judge_p <= ALPHA else "other order, not significant"


def system_differences(
    scores: NDArray[np.float64],
    gold: NDArray[np.float64],
    systems: NDArray[np.int64],
    clusters: NDArray[np.int64],
    names: tuple[str, ...],
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
    rows = []
    for a, b in combinations(range(len(names)), 2):
        differences = human[a] - human[b]
        shared = ~np.isnan(differences)
        if shared.sum() < 2:
            continue
        first, second = (a, b) if differences[shared].mean() >= 0 else (b, a)
        rows.append(
            (
                first,
                second,
                (human[first] - human[second])[shared],
                (judge[first] - judge[second])[shared],
            )
        )
    p = holm(np.array([_t_test(of_people) for _, _, of_people, _ in rows], dtype=np.float64))
    judge_p = holm(np.array([_t_test(of_judge) for *_, of_judge in rows], dtype=np.float64))
    pairs = [
        SystemDifference(
            first=names[first],
            second=names[second],
            people=float(of_people.mean()),
            judge=float(of_judge.mean()),
            p=of_people_p,
            judge_p=of_judge_p,
            passages=len(of_people),
            needed=_needed(of_people, ALPHA / len(rows)),
            judge_needed=_needed(of_judge, ALPHA / len(rows)),
        )
        for (first, second, of_people, of_judge), of_people_p, of_judge_p in zip(
            rows, p.tolist(), judge_p.tolist(), strict=True
        )
    ]
    return sorted(pairs, key=lambda row: -row.people)


def _passage_means(
    values: NDArray[np.float64],
    systems: NDArray[np.int64],
    clusters: NDArray[np.int64],
    n_systems: int,
    n_clusters: int,
) -> NDArray[np.float64]:
    """The mean of each system's values in each passage, (systems, passages), NaN without any."""
    known = systems >= 0
    cells = systems[known] * n_clusters + clusters[known]
    sums, n = (
        np.bincount(cells, weights=weights, minlength=n_systems * n_clusters)
        for weights in (values[known], np.ones(int(known.sum())))
    )
    with np.errstate(invalid="ignore"):
        return np.asarray((sums / n).reshape(n_systems, n_clusters))


def _t_test(differences: NDArray[np.float64]) -> float:
    """Two-sided p-value of H0 "the mean is 0"; without variation 1 for a mean of 0, else 0."""
    spread = float(differences.std(ddof=1))
    mean = float(differences.mean())
    if spread == 0:
        return float(mean == 0)
    t = mean / spread * np.sqrt(len(differences))
    return two_sided_p(t, len(differences) - 1)


def _needed(differences: NDArray[np.float64], alpha: float) -> int | None:
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    return fewest_units(spread / abs(mean), alpha / 2, 1 - POWER) if mean else None
