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
from itertools import permutations

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.preferences.bradley_terry import MAX_CHANGE, Strengths, influence

MAX_STEPS = 500
TOLERANCE = 1e-8
SMALLEST = 1e-300
STEP = 1e-4
"""Of log strengths, for differences of the gradient."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BestWorstCounts:
    """Best-worst choices of sets of one size, in B data sets.

    members: int64 (M, k), the systems of each kind of choice: the best, the others, the worst.
    weights: float64 (B, M), how often each was made.
    """

    members: NDArray[np.int64]
    weights: Floats


def fit_sets(counts: Sequence[BestWorstCounts], systems: int) -> Strengths:
    """Maximum likelihood for all B data sets at once; one element of `counts` for each size.

    An EM gradient method (Lange 1995): Newton's steps with the Hessian that the likelihood would
    have if the orders were known with their present probabilities. The maximum is finite where
    every system can be reached from every other by implied preferences (`strong_components`).
    """
    terms = [_Orders(one.members, systems) for one in counts]
    sets = len(counts[0].weights)
    logs = np.zeros((sets, systems))
    left = np.arange(sets)
    for _ in range(MAX_STEPS):
        gradient = np.zeros((len(left), systems))
        # Strengths are fixed up to a constant: this term picks those with mean 0.
        hessian = np.full((len(left), systems, systems), 1.0 / systems) + 1e-12 * np.eye(systems)
        for term, one in zip(terms, counts, strict=True):
            gradient += term.gradient(logs[left], one.weights[left])
            hessian += term.information(logs[left], one.weights[left])
        change = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        largest = np.abs(change).max(axis=1)
        logs[left] += change * np.minimum(1.0, MAX_CHANGE / np.maximum(largest, SMALLEST))[:, None]
        left = left[largest >= TOLERANCE]
        if not len(left):
            break
    converged = np.ones(sets, dtype=bool)
    converged[left] = False
    logs -= logs.mean(axis=1, keepdims=True)
    return Strengths(logs, np.full(sets, -np.inf), converged)


def set_influence(counts: Sequence[BestWorstCounts], logs: Floats) -> list[Floats]:
    """What one choice of each kind contributes to the log strengths, (M, S), for each size.

    counts: of one data set, logs: (S,), its log strengths. As `bradley_terry.choice_influence`; the
    Hessian is that of differences of the gradient.
    """
    systems = len(logs)
    terms = [_Orders(one.members, systems) for one in counts]
    shifts = STEP * np.eye(systems)
    above, below = (
        sum(
            term.gradient(logs + side * shifts, np.repeat(one.weights, systems, axis=0))
            for term, one in zip(terms, counts, strict=True)
        )
        for side in (1, -1)
    )
    information = np.asarray(below - above) / (2 * STEP)
    return [influence(term.gradient_of_each(logs), information, systems) for term in terms]


class _Orders:
    """All orders (O, M, k) of sets of one size that begin with the best and end with the worst."""

    def __init__(self, members: NDArray[np.int64], systems: int) -> None:
        last = members.shape[1] - 1
        middles = permutations(range(1, last))
        self.orders = np.stack([members[:, [0, *middle, last]] for middle in middles])
        self.systems = systems
        self._to_system = _sums(self.orders, systems)
        pairs = self.orders[..., :, None] * systems + self.orders[..., None, :]
        self._to_pair = _sums(pairs, systems**2)

    def gradient(self, logs: Floats, weights: Floats) -> Floats:
        """Of the log likelihood of each data set, (B, S); logs: (B, S), weights: (B, M)."""
        parts = self._gradient_parts(logs, weights)
        return np.asarray(parts.reshape(len(logs), -1) @ self._to_system)

    def gradient_of_each(self, logs: Floats) -> Floats:
        """Of the log likelihood of each kind of choice alone, (M, S), at log strengths (S,)."""
        parts = self._gradient_parts(logs[None], np.ones((1, self.orders.shape[1])))[0]
        result = np.zeros((self.orders.shape[1], self.systems))
        kinds = np.broadcast_to(np.arange(self.orders.shape[1])[:, None], self.orders.shape)
        np.add.at(result, (kinds, self.orders), parts)
        return result

    def information(self, logs: Floats, weights: Floats) -> Floats:
        """The negative Hessian, given the orders' probabilities, of each data set, (B, S, S)."""
        parts = self._information_parts(logs, weights).reshape(len(logs), -1)
        return np.asarray(parts @ self._to_pair).reshape(len(logs), self.systems, self.systems)

    def _gradient_parts(self, logs: Floats, weights: Floats) -> Floats:
        strengths, once, _, share = self._at(logs)
        is_chosen = np.arange(strengths.shape[-1]) < strengths.shape[-1] - 1
        return np.asarray((share * weights[:, None, :])[..., None] * (is_chosen - strengths * once))

    def _information_parts(self, logs: Floats, weights: Floats) -> Floats:
        strengths, once, twice, share = self._at(logs)
        places = np.arange(strengths.shape[-1])
        earlier = np.minimum(places[:, None], places)
        parts = -strengths[..., :, None] * strengths[..., None, :] * twice[..., earlier]
        parts[..., places, places] += strengths * once
        return np.asarray((share * weights[:, None, :])[..., None, None] * parts)

    def _at(self, logs: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Strengths (B, O, M, k); for each place the sum of 1 / total and of 1 / total^2 over the
        choices up to it, where total is the strength of what is left; and each order's share
        (B, O, M) of the probability."""
        x = logs[:, self.orders]
        strengths = np.exp(x - x.max(axis=-1, keepdims=True))
        totals = np.cumsum(strengths[..., ::-1], axis=-1)[..., ::-1]
        inverse = 1 / np.maximum(totals, SMALLEST)
        inverse[..., -1] = 0.0  # the last is not chosen
        likelihood = np.log(inverse[..., :-1]).sum(axis=-1)
        share = scipy.special.softmax(likelihood, axis=1)
        return strengths, inverse.cumsum(axis=-1), (inverse**2).cumsum(axis=-1), share


def _sums(codes: NDArray[np.int64], size: int) -> scipy.sparse.csr_array:
    """The matrix that sums values of cells by the cells' codes."""
    flat = codes.reshape(-1)
    shape = (len(flat), size)
    return scipy.sparse.csr_array((np.ones(len(flat)), (np.arange(len(flat)), flat)), shape=shape)
