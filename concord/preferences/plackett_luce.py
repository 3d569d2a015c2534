"""Plackett and Luce's model of best-worst choices of sets.

An order of a set has the probability of choosing its first with p_i / sum p, its second so from
the rest, and so on (Luce 1959, Plackett 1975). A best and a worst leave the order of the others
unknown, so that the likelihood sums over their orders. The model agrees with Bradley and Terry's on
pairs, P(i before j) = p_i / (p_i + p_j). Theirs, fitted to the pairs that a choice implies, would
be biased: which pairs are implied depends on the choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np
import scipy

from concord.arrays import Floats, Integers
from concord.preferences.bradley_terry import Strengths, influence, maximised

SMALLEST = 1e-300
STEP = 1e-4
"""Of log strengths, for differences of the gradient."""


@dataclass(frozen=True, eq=False)
class BestWorstCounts:
    """Best-worst choices of sets of one size.

    members: int64 (M, k), the systems of each kind of choice: the best, the others, the worst.
    weights: float64 (M,), how often each was made.
    """

    members: Integers
    weights: Floats

    @cached_property
    def orders(self) -> Integers:
        """All orders (O, M, k) that begin with the best and end with the worst."""
        last = self.members.shape[1] - 1
        middles = permutations(range(1, last))
        return np.stack([self.members[:, [0, *middle, last]] for middle in middles])

    def gradients(self, logs: Floats) -> Floats:
        """Of the log likelihood of one choice of each kind, (M, S), at log strengths (S,)."""
        strengths, once, _, share = self._at(logs)
        places, result = np.arange(strengths.shape[-1]), np.zeros((len(self.members), len(logs)))
        kinds = np.arange(len(self.members))[:, None]
        is_chosen = places < places[-1]
        np.add.at(result, (kinds, self.orders), share[..., None] * (is_chosen - strengths * once))
        return result

    def information(self, logs: Floats) -> Floats:
        """The negative Hessian of all choices, (S, S), if the orders had their present shares."""
        strengths, once, twice, share = self._at(logs)
        places, result = np.arange(strengths.shape[-1]), np.zeros((len(logs), len(logs)))
        earlier = np.minimum(places[:, None], places)
        parts = -strengths[..., :, None] * strengths[..., None, :] * twice[..., earlier]
        parts[..., places, places] += strengths * once
        cells = self.orders[..., :, None], self.orders[..., None, :]
        np.add.at(result, cells, (share * self.weights)[..., None, None] * parts)
        return result

    def _at(self, logs: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Strengths (O, M, k); for each place the sum of 1 / total and of 1 / total^2 over the
        choices up to it, where total is the strength of what is left; and each order's share (O, M)
        of the probability."""
        x = logs[self.orders]
        strengths = np.exp(x - x.max(axis=-1, keepdims=True))
        totals = np.cumsum(strengths[..., ::-1], axis=-1)[..., ::-1]
        inverse = 1 / np.maximum(totals, SMALLEST)
        inverse[..., -1] = 0.0  # the last is not chosen
        likelihood = np.log(inverse[..., :-1]).sum(axis=-1)
        share = scipy.special.softmax(likelihood, axis=0)
        return strengths, inverse.cumsum(axis=-1), (inverse**2).cumsum(axis=-1), share


def fit_sets(counts: Sequence[BestWorstCounts], systems: int) -> Strengths:
    """Maximum likelihood; one element of `counts` for each size.

    An EM gradient method (Lange 1995): Newton's steps with the Hessian that the likelihood would
    have if the orders were known with their present probabilities. The maximum is finite where
    every system can be reached from every other by implied preferences (`PairCounts.components`).
    """

    def derivatives(logs: Floats) -> tuple[Floats, Floats]:
        return _gradient(counts, logs), np.sum([one.information(logs) for one in counts], axis=0)

    return Strengths(maximised(derivatives, systems, systems))


def set_influence(counts: Sequence[BestWorstCounts], logs: Floats) -> list[Floats]:
    """What one choice of each kind contributes to the log strengths, (M, S), for each size.

    logs: (S,), the log strengths of the choices. As `bradley_terry.choice_influence`; the Hessian
    is that of differences of the gradient.
    """
    shifts = STEP * np.eye(len(logs))
    information = np.array(
        [_gradient(counts, logs - shift) - _gradient(counts, logs + shift) for shift in shifts]
    ) / (2 * STEP)
    return [influence(one.gradients(logs), information, len(logs)) for one in counts]


def _gradient(counts: Sequence[BestWorstCounts], logs: Floats) -> Floats:
    """Of the log likelihood of all choices, (S,)."""
    return np.asarray(sum(one.weights @ one.gradients(logs) for one in counts))
