"""Which candidates of an instance are compared in pairs, and which is shown first."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from concord.protocols.protocol import PairRules


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


def shown_order(count: int, seed: int, unit: int) -> list[int]:
    """The order, as numbers from 1, in which a worker sees the compared candidates of a unit.

    seed: of the worker's assignment. unit: the key of the unit. The same at every call.
    """
    order = np.random.default_rng([seed, unit]).permutation(count) + 1
    return [int(number) for number in order]
