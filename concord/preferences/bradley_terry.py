"""Bradley and Terry's model of choices between two systems, with ties after Davidson (1970).

P(i beats j) = p_i / Z, P(tie) = nu sqrt(p_i p_j) / Z, with Z = p_i + p_j + nu sqrt(p_i p_j). With
nu = 0 it is the model of Bradley and Terry (1952).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_STEPS = 100
MAX_CHANGE = 2.0
TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class SystemPairCounts:
    """Choices between pairs of S systems, in B data sets (resamples).

    first, second: int64 (M,), the systems of each pair, first < second. wins, losses, ties:
    float64 (B, M), how often the first won, lost, or neither did.
    """

    systems: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    wins: NDArray[np.float64]
    losses: NDArray[np.float64]
    ties: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Strengths:
    """log_strengths: float64 (B, S), with mean 0. log_nu: (B,), -inf without a parameter of ties.
    converged: (B,); False where the maximum was not reached, as where it is not finite."""

    log_strengths: NDArray[np.float64]
    log_nu: NDArray[np.float64]
    converged: NDArray[np.bool_]


def fit(counts: SystemPairCounts, *, ties: bool, prior_precision: float = 0.0) -> Strengths:
    """Maximum likelihood by Newton's method, for all B data sets at once.

    With `ties`, ties have Davidson's parameter; without, a tie is half a win of each. The maximum
    is finite and unique where every system can be reached from every other by wins, ties counting
    in both directions (`strong_components`); with `ties`, there must be a tie and a win besides.
    With a `prior_precision` above 0, log strengths have a normal prior with mean 0 and this inverse
    variance, and the maximum of the posterior density is always finite and unique without `ties`.
    """
    size, sets = counts.systems, len(counts.wins)
    parameters = np.zeros((sets, size + int(ties)))
    converged = np.zeros(sets, dtype=bool)
    for _ in range(MAX_STEPS):
        gradient, hessian = _derivatives(counts, parameters, ties=ties)
        gradient[:, :size] -= prior_precision * parameters[:, :size]
        hessian[:, :size, :size] += prior_precision * np.eye(size)
        # Strengths are fixed up to a constant: this term picks those with mean 0.
        hessian[:, :size, :size] += 1.0 / size
        hessian += 1e-12 * np.eye(parameters.shape[1])
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        largest = np.abs(step).max(axis=1, keepdims=True)
        parameters += step * np.minimum(1.0, MAX_CHANGE / np.maximum(largest, 1e-300))
        converged = largest[:, 0] < TOLERANCE
        if converged.all():
            break
    strengths = parameters[:, :size] - parameters[:, :size].mean(axis=1, keepdims=True)
    log_nu = parameters[:, size] if ties else np.full(sets, -np.inf)
    return Strengths(strengths, log_nu, converged)


def posterior_covariance(
    counts: SystemPairCounts, strengths: Strengths, prior_precision: float
) -> NDArray[np.float64]:
    """Covariances (B, S, S) of the log strengths of `fit` without `ties` and with this prior: the
    inverse of the negative Hessian of the log posterior density."""
    _, hessian = _derivatives(counts, strengths.log_strengths, ties=False)
    inverse = np.linalg.inv(hessian + prior_precision * np.eye(counts.systems))
    return np.asarray(inverse, dtype=np.float64)


def win_probabilities(strengths: Strengths) -> NDArray[np.float64]:
    """For each system the mean, over the other systems, of P(win) + P(tie) / 2, (B, S)."""
    logs = strengths.log_strengths
    gaps = logs[:, :, None] - logs[:, None, :]
    win, loss, _ = _probabilities(gaps, strengths.log_nu[:, None, None])
    score = win + (1 - win - loss) / 2
    others = ~np.eye(logs.shape[1], dtype=bool)
    return np.asarray(np.sum(score, axis=2, where=others) / max(1, logs.shape[1] - 1))


def win_slopes(strengths: Strengths) -> NDArray[np.float64]:
    """The derivatives of one data set's win probabilities by its parameters, (S, K): the log
    strengths, and log nu where ties have a parameter."""
    logs = strengths.log_strengths[0]
    win, loss, tie = _probabilities(logs[:, None] - logs, strengths.log_nu)
    # A win probability is 1/2 plus the mean of the statistic of the gap, of which this is the
    # variance.
    by_gap = (win + loss) / 4 - ((win - loss) / 2) ** 2
    np.fill_diagonal(by_gap, 0.0)
    slopes = np.diag(by_gap.sum(axis=1)) - by_gap
    if np.isfinite(strengths.log_nu[0]):
        by_nu = -(win - loss) / 2 * tie
        slopes = np.concatenate([slopes, by_nu.sum(axis=1, keepdims=True)], axis=1)
    return np.asarray(slopes / max(1, len(logs) - 1))


def choice_influence(
    counts: SystemPairCounts,
    strengths: Strengths,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    won: NDArray[np.int64],
) -> NDArray[np.float64]:
    """What each of n choices contributes to the parameters' estimates, (n, K): to first order, the
    change of the estimates when it is added once more (Jaeckel 1972, The Infinitesimal Jackknife).

    counts, strengths: of one data set and its fit. first, second: (n,), the systems of a choice.
    won: (n,), 1 where the first won, -1 where the second did, 0 of a tie.
    """
    size, has_ties = counts.systems, bool(np.isfinite(strengths.log_nu[0]))
    logs = strengths.log_strengths[0]
    win, loss, tie = _probabilities(logs[first] - logs[second], strengths.log_nu)
    scores = np.zeros((len(first), size + int(has_ties)))
    rows, of_gap = np.arange(len(first)), (won - (win - loss)) / 2
    scores[rows, first] = of_gap
    scores[rows, second] = -of_gap
    parameters = strengths.log_strengths
    if has_ties:
        scores[:, size] = (won == 0) - tie
        parameters = np.concatenate([parameters, strengths.log_nu[:, None]], axis=1)
    _, hessian = _derivatives(counts, parameters, ties=has_ties)
    return influence(scores, hessian[0], size)


def influence(
    scores: NDArray[np.float64], information: NDArray[np.float64], systems: int
) -> NDArray[np.float64]:
    """The contributions to the estimates, (n, K), from gradients of the log likelihood, (n, K), and
    the negative of its Hessian, (K, K). The log strengths' contributions sum to 0."""
    information = information.copy()
    # Strengths are fixed up to a constant: this term picks those with mean 0.
    information[:systems, :systems] += 1.0 / systems
    return np.asarray(np.linalg.solve(information, scores.T).T)


def _probabilities(
    gaps: NDArray[np.float64], log_nu: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """P(win), P(loss), P(tie), from differences of log strengths."""
    half = np.abs(gaps) / 2
    # Divided by the larger of the two, so that nothing overflows.
    low, tie = np.exp(-2 * half), np.exp(log_nu - half)
    total = 1 + low + tie
    win = np.where(gaps > 0, 1.0, low) / total
    loss = np.where(gaps > 0, low, 1.0) / total
    return win, loss, tie / total


def _derivatives(
    counts: SystemPairCounts, parameters: NDArray[np.float64], *, ties: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gradient (B, K) of the log likelihood, and its negative Hessian (B, K, K).

    An exponential family: a win of the first has the statistic 1/2 for the gap, a loss -1/2, and a
    tie 1 for log nu; the Hessian holds their covariances.
    """
    size, sets = counts.systems, len(counts.wins)
    i, j = counts.first, counts.second
    log_nu = parameters[:, [size]] if ties else np.full((sets, 1), -np.inf)
    win, loss, tie = _probabilities(parameters[:, i] - parameters[:, j], log_nu)
    total = counts.wins + counts.losses + counts.ties
    # Without a parameter of ties, a tie's statistic for the gap is 0: half a win, half a loss.
    of_gap = (counts.wins - counts.losses) / 2 - total * (win - loss) / 2
    gradient = np.zeros((sets, size + int(ties)))
    hessian = np.zeros((sets, size + int(ties), size + int(ties)))
    variance = total * ((win + loss) / 4 - ((win - loss) / 2) ** 2)
    rows = np.arange(sets)[:, None]
    np.add.at(gradient, (rows, i), of_gap)
    np.add.at(gradient, (rows, j), -of_gap)
    for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
        np.add.at(hessian, (rows, a, b), sign * variance)
    if ties:
        gradient[:, size] = (counts.ties - total * tie).sum(axis=1)
        hessian[:, size, size] = (total * tie * (1 - tie)).sum(axis=1)
        covariance = -total * (win - loss) / 2 * tie
        last = np.array(size)
        for a, sign in ((i, 1), (j, -1)):
            np.add.at(hessian, (rows, a, last), sign * covariance)
            np.add.at(hessian, (rows, last, a), sign * covariance)
    return gradient, hessian
