"""Which candidates of an instance are compared in pairs or sets, and in which order."""

from __future__ import annotations

from itertools import combinations
from math import ceil, comb

import numpy as np
from numpy.typing import NDArray

from concord.formats.best_worst import MIN_SET_SIZE
from concord.protocols.protocol import PairRules, Protocol, SetRules

MAX_TRIES = 100


def compared(count: int, protocol: Protocol, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """The numbers from 0 of the candidates that each unit of an instance compares, ascending."""
    if protocol.unit == "pair":
        return [*pairs_of(count, protocol.pairs, rng)]
    return sets_of(count, len(protocol.scale), protocol.sets, rng)


def pairs_of(count: int, rules: PairRules, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Pairs (i, j), i < j, of `count` candidates of an instance, in ascending order.

    Of the fixed designs. "all": every pair. "balanced": each candidate in `per_candidate` pairs, or
    in one more where both numbers are odd; all pairs where there are too few candidates. The
    candidates form a random circle, and each is paired with its neighbours, so that every candidate
    is connected with every other.
    """
    every = list(combinations(range(count), 2))
    if rules.design == "all" or rules.per_candidate >= count - 1:
        return every
    circle = rng.permutation(count)
    distances = list(range(1, rules.per_candidate // 2 + 1))
    if rules.per_candidate % 2:
        distances.append(count // 2 if count % 2 == 0 else distances[-1] + 1)
    pairs = {
        tuple(sorted((int(circle[at]), int(circle[(at + distance) % count]))))
        for at in range(count)
        for distance in distances
    }
    return [pair for pair in every if pair in pairs]


def sets_of(
    count: int, size: int, rules: SetRules, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Different sets of `size` of `count` candidates of an instance, in ascending order.

    All candidates where there are `size` or fewer, but 3 or more; no set of fewer. Every set where
    each candidate is in at most `per_candidate` of them; else as many as give each candidate that
    number, or to some one more where the numbers do not divide. A set takes one candidate after
    the other: of those in the fewest sets so far, one that met the others of the set the fewest
    times. Where most sets are needed, those to leave out are drawn so.
    """
    size = min(size, count)
    if size < MIN_SET_SIZE:
        return []
    every = comb(count, size)
    wanted = min(every, ceil(count * rules.per_candidate / size))
    if wanted <= every / 2:
        return sorted(_balanced_sets(count, size, wanted, rng))
    left_out = _balanced_sets(count, size, every - wanted, rng)
    return [one for one in combinations(range(count), size) if one not in left_out]


def _balanced_sets(
    count: int, size: int, wanted: int, rng: np.random.Generator
) -> set[tuple[int, ...]]:
    """The first of MAX_TRIES drawn designs in which no candidate is in two sets more than another,
    or the last."""
    for _ in range(MAX_TRIES):
        sets, appearances = _draw_sets(count, size, wanted, rng)
        if np.ptp(appearances) <= 1:
            break
    return sets


def _draw_sets(
    count: int, size: int, wanted: int, rng: np.random.Generator
) -> tuple[set[tuple[int, ...]], NDArray[np.int64]]:
    """Different sets, and in how many each candidate is."""
    appearances = np.zeros(count, dtype=np.int64)
    meetings = np.zeros((count, count), dtype=np.int64)
    sets: set[tuple[int, ...]] = set()
    while len(sets) < wanted:
        chosen: list[int] = []
        ties = rng.permutation(count)
        for _ in range(size):
            order = np.lexsort((ties, meetings[:, chosen].sum(axis=1), appearances))
            chosen.append(next(int(one) for one in order if one not in chosen))
        if tuple(sorted(chosen)) in sets:
            preferred = np.lexsort((ties, appearances)).tolist()
            others = combinations(preferred, size)
            chosen = next([*one] for one in others if tuple(sorted(one)) not in sets)
        sets.add(tuple(sorted(chosen)))
        appearances[chosen] += 1
        meetings[np.ix_(chosen, chosen)] += 1
    return sets, appearances


def shown_order(count: int, seed: int, unit: int) -> list[int]:
    """The order, as numbers from 1, in which a worker sees the compared candidates of a unit.

    seed: of the worker's assignment. unit: the key of the unit. The same at every call.
    """
    order = np.random.default_rng([seed, unit]).permutation(count) + 1
    return [int(number) for number in order]
