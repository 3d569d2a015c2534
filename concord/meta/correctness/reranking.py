"""A metric as a reranker: of the candidates to one question, is the one it likes best any good?

Judged by people's scores, against a candidate picked at random and against the best there is (AVA,
section 6.5, asks which of two rerankers' top candidates people find correct).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.meta.correctness.resampling import figures, resampled, sums_by_cluster
from concord.meta.figures import Figure
from concord.meta.inference.groups import Groups


@dataclass(frozen=True, slots=True)
class Reranking:
    """One metric's picks. picked: mean gold of its pick; gain: that less a random pick's; share: of
    the gain that the best pick would bring, 1 at best, negative where worse than random. All with
    95% intervals by passage."""

    picked: Figure
    gain: Figure
    share: Figure


@dataclass(frozen=True)
class Rerankings:
    """instances: with two judged candidates or more. chance, best: mean gold of a random and of the
    best pick. metrics: one Reranking each, in the order given."""

    instances: int
    chance: Figure
    best: Figure
    metrics: list[Reranking]


def rerank(
    scores: NDArray[np.float64],
    gold: NDArray[np.float64],
    items: NDArray[np.int64],
    clusters: NDArray[np.int64],
    *,
    rng: np.random.Generator,
    draws: int = 1000,
) -> Rerankings:
    """Of K metrics' scores (K, n), turned so that higher is better and finite, and gold (n,).

    Where several candidates share the highest score the pick is one of them at random: their mean
    counts. Instances with one candidate are left out; every other counts the same. Undefined
    without such instances; `share` also where all candidates to each are equally good.
    """
    groups = Groups.of(items.astype(np.int64))
    several = groups.sizes > 1
    count = int(np.count_nonzero(several))
    if not count:
        few = Figure.undefined("no question has two judged candidates or more")
        return Rerankings(0, few, few, [Reranking(few, few, few) for _ in scores])
    people, of_metric = gold[groups.order], scores[:, groups.order]
    chance = (groups.sums(people) / groups.sizes)[several]
    best = np.maximum.reduceat(people, groups.starts)[several]
    top = np.maximum.reduceat(of_metric, groups.starts, axis=1)
    is_top = (of_metric == np.repeat(top, groups.sizes, axis=1)).astype(np.float64)
    picked = (groups.sums(is_top * people) / groups.sums(is_top))[:, several]
    return _figures(
        picked, chance, best, clusters[groups.order][groups.starts][several], rng, draws
    )


def best_system(
    gold: NDArray[np.float64], items: NDArray[np.int64], systems: NDArray[np.int64]
) -> tuple[int, float] | None:
    """The system that always picking would serve best: its code, and its mean gold by instance.

    Of the instances with two candidates or more, all (n,); only systems with a candidate to each of
    them compare with a reranker. Several candidates of one system to an instance count their mean.
    None where there is no such system.
    """
    groups = Groups.of(items.astype(np.int64))
    several = np.repeat(groups.sizes > 1, groups.sizes)
    chosen = groups.order[several]
    chosen = chosen[systems[chosen] >= 0]
    instances = int(np.count_nonzero(groups.sizes > 1))
    found: list[tuple[int, float]] = []
    for system in np.unique(systems[chosen]).tolist():
        own = chosen[systems[chosen] == system]
        by_item = Groups.of(items[own].astype(np.int64))
        if len(by_item) == instances:
            means = by_item.sums(gold[own][by_item.order]) / by_item.sizes
            found.append((system, float(means.mean())))
    return max(found, key=lambda one: one[1], default=None)


def _figures(
    picked: NDArray[np.float64],
    chance: NDArray[np.float64],
    best: NDArray[np.float64],
    clusters: NDArray[np.int64],
    rng: np.random.Generator,
    draws: int,
) -> Rerankings:
    """Of each instance's values, (K, I), (I,) and (I,), and its passage."""
    k, count = picked.shape
    # Chance and the best pick stand as two more rows, so that all share their draws.
    rows = np.concatenate([picked, [chance, best]])
    sums = np.stack(
        [rows, *(np.broadcast_to(one, rows.shape) for one in (chance, best, np.ones(count)))],
        axis=1,
    )  # (K + 2, 4, I)
    by_passage = sums_by_cluster(sums, clusters)
    enough = draws if len(by_passage) > 1 else 0
    drawn = resampled(by_passage, rng, enough) if enough else by_passage[:0]

    def of(figure: int) -> list[Figure]:
        values, ends = figures(by_passage, _RATIOS[figure], drawn)
        return [
            Figure.undefined("all candidates to a question are equally good")
            if np.isnan(value)
            else Figure(float(value), ci=ci)
            for value, ci in zip(values, ends, strict=True)
        ]

    means, gains, shares = of(0), of(1), of(2)
    found = [Reranking(*one) for one in zip(means, gains, shares, strict=True)]
    return Rerankings(count, means[k], means[k + 1], found[:k])


def _mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(sums[0] / sums[3])


def _gain(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((sums[0] - sums[1]) / sums[3])


def _share(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    possible = sums[2] - sums[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(possible > 1e-12 * sums[3], (sums[0] - sums[1]) / possible, np.nan)


_RATIOS = (_mean, _gain, _share)
