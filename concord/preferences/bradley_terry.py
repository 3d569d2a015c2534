"""Bradley and Terry's model of choices between two systems, with ties after Davidson (1970).

P(i beats j) = p_i / Z, P(tie) = nu sqrt(p_i p_j) / Z, with Z = p_i + p_j + nu sqrt(p_i p_j). With
nu = 0 it is the model of Bradley and Terry (1952).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from concord.arrays import Floats, Integers

MAX_STEPS = 500
MAX_CHANGE = 2.0
TOLERANCE = 1e-8


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Choices between pairs of S systems. wins: float64 (S, S), how often the row beat the column.
    ties: (S, S), symmetric. No system is compared with itself."""

    wins: Floats
    ties: Floats

    def components(self) -> Integers:
        """A code (S,) for each system: equal where each can be reached from the other by wins.

        A win leads from the winner to the loser, and a tie both ways. Strengths are finite only
        where all codes are equal.
        """
        graph = scipy.sparse.csr_matrix(self.wins + self.ties)
        codes = scipy.sparse.csgraph.connected_components(graph, connection="strong")[1]
        return np.asarray(codes, dtype=np.int64)

    def totals(self) -> list[list[int]]:
        """Wins, losses and ties of each system."""
        sums = self.wins.sum(axis=1), self.wins.sum(axis=0), self.ties.sum(axis=1)
        table: list[list[int]] = np.stack(sums, axis=1).astype(np.int64).tolist()
        return table


@dataclass(frozen=True, eq=False)
class Strengths:
    """log_strengths: float64 (S,), with mean 0. log_nu: -inf without a parameter of ties."""

    log_strengths: Floats
    log_nu: float = -np.inf

    @property
    def has_ties(self) -> bool:
        """Whether ties have a parameter, which is then the last one, after the log strengths."""
        return bool(np.isfinite(self.log_nu))

    def probabilities(self) -> tuple[Floats, Floats, Floats]:
        """P(win), P(loss), P(tie) of the row against the column, each (S, S)."""
        gaps = self.log_strengths[:, None] - self.log_strengths
        half = np.abs(gaps) / 2
        # Divided by the larger of the two, so that nothing overflows.
        low, tie = np.exp(-2 * half), np.exp(self.log_nu - half)
        total = 1 + low + tie
        win = np.where(gaps > 0, 1.0, low) / total
        return win, win.T, tie / total


def fit(counts: PairCounts, *, ties: bool) -> Strengths:
    """Maximum likelihood by Newton's method.

    With `ties`, ties have Davidson's parameter; without, a tie is half a win of each. The maximum
    is finite and unique where all systems are in one of the `components`; with `ties`, there must
    be a tie and a win besides.
    """
    size = len(counts.wins)

    def strengths(parameters: Floats) -> Strengths:
        return Strengths(parameters[:size], float(parameters[size]) if ties else -np.inf)

    def steps(parameters: Floats) -> tuple[Floats, Floats]:
        return derivatives(counts, strengths(parameters))

    return strengths(maximised(steps, size + ties, size))


def maximised(
    derivatives: Callable[[Floats], tuple[Floats, Floats]], parameters: int, systems: int
) -> Floats:
    """The parameters, first the log strengths with mean 0, at the maximum of a log likelihood with
    these (gradient, negative Hessian), by damped Newton steps from 0."""
    values = np.zeros(parameters)
    for _ in range(MAX_STEPS):
        gradient, information = derivatives(values)
        step = influence(gradient[None], information + 1e-12 * np.eye(parameters), systems)[0]
        largest = np.abs(step).max()
        values += step * min(1.0, MAX_CHANGE / max(largest, 1e-300))
        if largest < TOLERANCE:
            break
    values[:systems] -= values[:systems].mean()
    return values


def win_probabilities(strengths: Strengths) -> Floats:
    """For each system the mean, over the other systems, of P(win) + P(tie) / 2, (S,)."""
    win, _, tie = strengths.probabilities()
    others = ~np.eye(len(win), dtype=bool)
    return np.asarray(np.sum(win + tie / 2, axis=1, where=others) / max(1, len(win) - 1))


def win_slopes(strengths: Strengths) -> Floats:
    """The derivatives of the win probabilities by the parameters, (S, K): the log strengths, and
    log nu where ties have a parameter."""
    win, loss, tie = strengths.probabilities()
    # A win probability is 1/2 plus the mean of the statistic of the gap, of which this is the
    # variance.
    by_gap = (win + loss) / 4 - ((win - loss) / 2) ** 2
    np.fill_diagonal(by_gap, 0.0)
    slopes = np.diag(by_gap.sum(axis=1)) - by_gap
    if strengths.has_ties:
        by_nu = -(win - loss) / 2 * tie
        slopes = np.concatenate([slopes, by_nu.sum(axis=1, keepdims=True)], axis=1)
    return np.asarray(slopes / max(1, len(win) - 1))


def choice_influence(
    counts: PairCounts, strengths: Strengths, first: Integers, second: Integers, won: Integers
) -> Floats:
    """What each of n choices contributes to the parameters' estimates, (n, K): to first order, the
    change of the estimates when it is added once more (Jaeckel 1972, The Infinitesimal Jackknife).

    first, second: (n,), the systems of a choice. won: (n,), 1 where the first won, -1 where the
    second did, 0 of a tie.
    """
    size, rows = len(counts.wins), np.arange(len(first))
    win, loss, tie = (table[first, second] for table in strengths.probabilities())
    scores = np.zeros((len(first), size + strengths.has_ties))
    scores[rows, first] = (won - (win - loss)) / 2
    scores[rows, second] = -scores[rows, first]
    if strengths.has_ties:
        scores[:, size] = (won == 0) - tie
    return influence(scores, derivatives(counts, strengths)[1], size)


def influence(scores: Floats, information: Floats, systems: int) -> Floats:
    """The contributions to the estimates, (n, K), from gradients of the log likelihood, (n, K), and
    the negative of its Hessian, (K, K). The log strengths' contributions sum to 0."""
    information = information.copy()
    # Strengths are fixed up to a constant: this term picks those with mean 0.
    information[:systems, :systems] += 1.0 / systems
    return np.asarray(np.linalg.solve(information, scores.T).T)


def derivatives(counts: PairCounts, strengths: Strengths) -> tuple[Floats, Floats]:
    """Gradient (K,) of the log likelihood, and its negative Hessian (K, K).

    An exponential family: a win of the first has the statistic 1/2 for the gap, a loss -1/2, and a
    tie 1 for log nu; the Hessian holds their covariances.
    """
    win, loss, tie = strengths.probabilities()
    total = counts.wins + counts.wins.T + counts.ties
    # Without a parameter of ties, a tie's statistic for the gap is 0: half a win, half a loss.
    gradient = (counts.wins - counts.wins.T - total * (win - loss)).sum(axis=1) / 2
    variance = total * ((win + loss) / 4 - ((win - loss) / 2) ** 2)
    information = np.diag(variance.sum(axis=1)) - variance
    if strengths.has_ties:
        # Each pair is in the tables twice.
        gradient = np.append(gradient, (counts.ties - total * tie).sum() / 2)
        covariance = -(total * (win - loss) / 2 * tie).sum(axis=1, keepdims=True)
        of_nu = np.full((1, 1), (total * tie * (1 - tie)).sum() / 2)
        information = np.block([[information, covariance], [covariance.T, of_nu]])
    return gradient, information
