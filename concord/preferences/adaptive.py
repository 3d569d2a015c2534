"""Adaptive choice of the pairs of systems to compare next.

The next pair is that with the greatest expected information about the ranking: the posterior
variance of the difference of its log strengths times p (1 - p), p being the probability that the
first wins (Bradley and Terry's model, a tie half a win of each; a normal prior of the log
strengths). So pairs are preferred that are uncertain and close. As long as systems are not
connected by comparisons, only pairs that connect them are chosen. With the probability EXPLORATION
the pair is drawn from all that are left instead, so that every one could be chosen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from concord.arrays import Booleans, Floats, Integers
from concord.preferences.bradley_terry import PairCounts, derivatives, fit

EXPLORATION = 0.1
PRIOR_SD = 2.0
"""Standard deviation of the log strengths before any choice: odds of 7 to 1 are one away."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ChosenPair:
    """Systems `first` < `second` to compare on one question.

    probability: with which this pair of systems was drawn, given all earlier ones. information: the
    variance of the difference times p (1 - p) when it was drawn.
    """

    first: int
    second: int
    probability: float
    information: float


def knowledge(wins: Floats) -> tuple[Floats, Floats]:
    """The posterior mode of S log strengths, (S,), with mean 0, and their covariance, (S, S).

    wins: (S, S), how often the row beat the column; a tie is half a win of each.
    """
    counts, precision = PairCounts(wins, np.zeros_like(wins)), PRIOR_SD**-2
    strengths = fit(counts, ties=False, prior_precision=precision)
    information = derivatives(counts, strengths)[1] + precision * np.eye(len(wins))
    return strengths.log_strengths, np.asarray(np.linalg.inv(information))


def choose_pairs(
    wins: Floats,
    pending: Floats,
    available: Integers,
    size: int,
    ratings: int,
    rng: np.random.Generator,
) -> list[ChosenPair]:
    """The next pairs of systems to compare, fewer than `size` only where no more are left.

    wins: (S, S), how often the row beat the column, a tie counting half. pending: (S, S),
    symmetric, choices that are still to come. available: (S, S), symmetric, the questions on which
    two systems can still be compared. ratings: choices on each pair. Each pair that is chosen
    reduces the variances by what its choices are expected to tell.
    """
    logs, covariance = knowledge(wins)
    first, second = np.triu_indices(len(wins), 1)
    gaps = logs[first] - logs[second]
    p = scipy.special.expit(gaps)
    weights = p * (1 - p)
    for at in np.flatnonzero(pending[first, second]).tolist():
        weight = weights[at] * pending[first[at], second[at]]
        _add_information(covariance, int(first[at]), int(second[at]), weight)
    left = available[first, second].copy()
    groups = _groups((wins + wins.T + pending) > 0)
    chosen: list[ChosenPair] = []
    while len(chosen) < size and left.any():
        variances = np.diag(covariance)[first] + np.diag(covariance)[second]
        information = (variances - 2 * covariance[first, second]) * weights
        is_left = left > 0
        connecting = is_left & (groups[first] != groups[second])
        allowed = connecting if connecting.any() else is_left
        best = allowed & (information >= information[allowed].max() - _ROUNDING)
        drawn = (1 - EXPLORATION) * best / best.sum() + EXPLORATION * allowed / allowed.sum()
        pair = int(rng.choice(len(drawn), p=drawn))
        i, j = int(first[pair]), int(second[pair])
        chosen.append(ChosenPair(i, j, float(drawn[pair]), float(information[pair])))
        _add_information(covariance, i, j, weights[pair] * ratings)
        left[pair] -= 1
        groups[groups == groups[j]] = groups[i]
    return chosen


def _groups(compared: Booleans) -> Integers:
    """A code (S,) for each system: equal where comparisons connect two systems."""
    graph = scipy.sparse.csr_matrix(compared.astype(np.int8))
    _, codes = scipy.sparse.csgraph.connected_components(graph, directed=False)
    return np.asarray(codes, dtype=np.int64)


def _add_information(covariance: Floats, i: int, j: int, weight: float) -> None:
    """Change the covariance by choices between i and j with this Fisher information (a rank-one
    update of its inverse)."""
    column = covariance[:, i] - covariance[:, j]
    spread = column[i] - column[j]
    covariance -= np.outer(column, column) * (weight / (1 + weight * spread))
