"""The threshold at which a metric's score becomes "correct": tuned on one part, frozen for others.

`scores` are float64 (n,), finite, turned so that higher is better. A threshold lies in the middle
between two neighbouring scores of the part it was tuned on, so that it does not hang on one answer;
minus infinity calls every answer correct, infinity none.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from concord.meta.correctness.curves import Steps, steps

Rule = Literal["f1", "p1"]
RULES: tuple[Rule, ...] = ("f1", "p1")


def called(scores: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    """Which answers the metric calls correct: score >= threshold."""
    return np.asarray(scores >= threshold)


def highest_f1(scores: NDArray[np.float64], correct: NDArray[np.bool_]) -> float:
    """The threshold with the highest F1; of several, the highest.

    Raises ValueError without answers, and where no answer is correct for people: every threshold
    then has the same F1.
    """
    if not len(scores):
        raise ValueError("there is no answer to tune on")
    found = steps(scores, correct)
    if not found.n_correct:
        raise ValueError("people found no answer correct in the part that tunes")
    # F1 = 2 tp / (called + correct)
    f1 = 2 * found.true / (found.true + found.false + found.n_correct)
    return _between(found, int(np.argmax(f1)))


def least_error(
    scores: NDArray[np.float64], correct: NDArray[np.bool_], systems: NDArray[np.int64]
) -> float:
    """The threshold at which the metric's share of correct answers by system is nearest people's.

    Nearest by the root mean square over systems; of several, the highest. Of each system's first
    answers to a question this is AVA's rule, the least error of P@1 (section 6.4). systems: (n,),
    codes from 0, -1 for unknown, which is left out. Raises ValueError without answers, and where no
    system is known.
    """
    if not len(scores):
        raise ValueError("there is no answer to tune on")
    known = systems >= 0
    if not known.any():
        raise ValueError("the answers name no systems")
    scores, correct = scores[known], correct[known]
    system = np.unique(systems[known], return_inverse=True)[1].reshape(-1)
    answers = np.bincount(system)
    people = np.bincount(system, weights=correct) / answers
    order = np.argsort(-scores, kind="stable")
    system, ordered = system[order], scores[order]
    # The how many-th answer of its system each is, from 1, as the threshold falls.
    by_system = np.argsort(system, kind="stable")
    nth = np.empty(len(system))
    nth[by_system] = np.arange(len(system)) - np.repeat(np.cumsum(answers) - answers, answers) + 1
    error = nth / answers[system] - people[system]
    before = error - 1 / answers[system]
    total = float(np.sum(people**2)) + np.cumsum(error**2 - before**2)
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return _least(np.append(np.sum(people**2), total[last]), ordered[last])


def _least(errors: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """errors: (k + 1,), calling none correct first, then from each of `values`, (k,), falling.

    Sums that should be equal differ in their last bits.
    """
    best = int(np.flatnonzero(errors <= errors.min() + 1e-12)[0])
    return np.inf if best == 0 else _middle(values, best - 1)


def _between(found: Steps, at: int) -> float:
    return _middle(found.thresholds, at)


def _middle(falling: NDArray[np.float64], at: int) -> float:
    """The middle between a value and the next lower one; minus infinity below the last."""
    if at + 1 == len(falling):
        return -np.inf
    upper, lower = float(falling[at]), float(falling[at + 1])
    middle = lower + (upper - lower) / 2
    # Between neighbouring floats there is no middle.
    return middle if lower < middle else upper
