"""Metrics as rerankers: the gold score of the candidate that a metric ranks first.

It is compared with that of a random candidate and of the best one. AVA (section 6.5) compares two
rerankers by people's verdicts on their top candidates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.arrays import Floats, Integers
from concord.inference import Estimate, estimates_of_sums, resampled_sums, sums_by_cluster
from concord.meta.groups import Groups, ratio


@dataclass(frozen=True, slots=True)
class Reranking:
    """One metric as a reranker; it picks the candidate with its highest score.

    picked: mean gold score of the picks. gain: picked - mean gold score of random picks. share:
    gain / the largest possible gain; 1 at best, negative where the picks are worse than random. 95%
    intervals resample passages.
    """

    picked: Estimate
    gain: Estimate
    share: Estimate


@dataclass(frozen=True)
class Rerankings:
    """The results of all metrics, in the order given.

    instances: number of instances with two judged candidates or more. chance, best: mean gold score
    of a random pick, and of the best candidate.
    """

    instances: int
    chance: Estimate
    best: Estimate
    metrics: list[Reranking]


def rerank(
    scores: Floats,
    gold: Floats,
    items: Integers,
    clusters: Integers,
    *,
    rng: np.random.Generator,
    draws: int = 1000,
) -> Rerankings:
    """Evaluate K metrics as rerankers.

    scores: (K, n), finite, oriented so that higher is better. gold, items, clusters: (n,). Where
    several candidates share the highest score, their mean gold score counts. Instances with one
    candidate are left out; the others have equal weights. Undefined where no instance is left;
    `share` also where the candidates of every instance are equally good.
    """
    groups = Groups.from_codes(items.astype(np.int64))
    several = groups.sizes > 1
    count = int(np.count_nonzero(several))
    if not count:
        few = Estimate(None, reason="no question has two judged candidates or more")
        return Rerankings(0, few, few, [Reranking(few, few, few) for _ in scores])
    people, of_metric = gold[groups.order], scores[:, groups.order]
    chance = groups.sums(people) / groups.sizes
    # Of equal scores the mean may differ from them by rounding.
    chance = np.where(groups.constant(people), people[groups.starts], chance)[several]
    best = np.maximum.reduceat(people, groups.starts)[several]
    top = np.maximum.reduceat(of_metric, groups.starts, axis=1)
    is_top = (of_metric == np.repeat(top, groups.sizes, axis=1)).astype(np.float64)
    picked = (groups.sums(is_top * people) / groups.sums(is_top))[:, several]
    # Random and best picks are two more rows, so that all have the same draws.
    rows = np.concatenate([picked, [chance, best]])
    ones = np.ones_like(rows)
    values = np.stack([rows, rows - chance, ones * (best - chance), ones])
    sums = sums_by_cluster(values, clusters[groups.order][groups.starts][several])
    resampled = resampled_sums(sums, rng, draws)
    reason = "all candidates to a question are equally good"
    figures = [
        estimates_of_sums(lambda t: ratio(t[a], t[b]), sums, resampled, reason=reason)  # noqa: B023
        for a, b in ((0, 3), (1, 3), (1, 2))
    ]
    rerankings = [Reranking(*one) for one in zip(*figures, strict=True)]
    k = len(scores)
    return Rerankings(count, figures[0][k], figures[0][k + 1], rerankings[:k])


def best_system(gold: Floats, items: Integers, systems: Integers) -> tuple[int, float] | None:
    """The system with the best mean gold score by instance: (code, mean), or None.

    Only instances with two candidates or more count, and only systems with a candidate to each of
    them. Several candidates of a system to one instance count with their mean.
    """
    groups = Groups.from_codes(items.astype(np.int64))
    several = np.repeat(groups.sizes > 1, groups.sizes)
    candidates = groups.order[several]
    candidates = candidates[systems[candidates] >= 0]
    instances = int(np.count_nonzero(groups.sizes > 1))
    means_by_system: list[tuple[int, float]] = []
    for system in np.unique(systems[candidates]).tolist():
        of_system = candidates[systems[candidates] == system]
        by_item = Groups.from_codes(items[of_system].astype(np.int64))
        if len(by_item) == instances:
            means = by_item.sums(gold[of_system][by_item.order]) / by_item.sizes
            means_by_system.append((system, float(means.mean())))
    return max(means_by_system, key=lambda entry: entry[1], default=None)
