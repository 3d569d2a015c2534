"""Thresholds at or above which a metric calls an answer correct.

`scores` are float64 (n,), finite, oriented so that higher is better. A threshold is the middle
between two neighbouring scores of the tuning part. At minus infinity every answer is called
correct, at infinity none.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.meta.correctness.curves import threshold_steps

Rule = Literal["f1", "p1"]
RULES: tuple[Rule, ...] = get_args(Rule)


def metric_verdicts(scores: Floats, threshold: float) -> Booleans:
    """Which answers the metric calls correct: score >= threshold."""
    return np.asarray(scores >= threshold)


def tune_by_f1(scores: Floats, correct: Booleans) -> float:
    """The threshold with the highest F1; of several, the highest.

    Raises ValueError without answers, and where no answer is correct for people: every threshold
    then has the same F1.
    """
    if not len(scores):
        raise ValueError("there is no answer to tune on")
    counts = threshold_steps(scores, correct)
    if not counts.n_correct:
        raise ValueError("people found no answer correct in the tuning part")
    # F1 = 2 tp / (called + correct)
    f1 = 2 * counts.true / (counts.true + counts.false + counts.n_correct)
    return _middle(counts.thresholds, int(np.argmax(f1)))


def tune_by_youden(scores: Floats, correct: Booleans) -> float:
    """The threshold with the highest TPR + TNR - 1 (Youden 1950); of several, the highest.

    Raises ValueError where people found no answer correct, or none wrong.
    """
    counts = threshold_steps(scores, correct)
    if not counts.n_correct or not counts.n_wrong:
        raise ValueError("people gave one verdict only in the tuning part")
    youden = counts.true / counts.n_correct - counts.false / counts.n_wrong
    return _middle(counts.thresholds, int(np.argmax(youden)))


def tune_by_system_error(scores: Floats, correct: Booleans, systems: Integers) -> float:
    """The threshold at which the metric's share of correct answers by system is nearest people's.

    Nearest by the root mean square over systems; of several, the highest. Of each system's first
    answers to a question this is AVA's rule, the least error of P@1 (section 6.4). systems: (n,),
    codes from 0, -1 for unknown, which is left out. Raises ValueError without answers, and where no
    system is known.
    """
    if not len(scores):
        raise ValueError("there is no answer to tune on")
    is_named = systems >= 0
    if not is_named.any():
        raise ValueError("the answers name no systems")
    scores, correct = scores[is_named], correct[is_named]
    system = np.unique(systems[is_named], return_inverse=True)[1].reshape(-1)
    answers = np.bincount(system)
    people = np.bincount(system, weights=correct) / answers
    order = np.argsort(-scores, kind="stable")
    system, sorted_scores = system[order], scores[order]
    # The rank of each answer among those of its system by decreasing score, from 1.
    by_system = np.argsort(system, kind="stable")
    nth = np.empty(len(system))
    nth[by_system] = np.arange(len(system)) - np.repeat(np.cumsum(answers) - answers, answers) + 1
    error = nth / answers[system] - people[system]
    before = error - 1 / answers[system]
    total = float(np.sum(people**2)) + np.cumsum(error**2 - before**2)
    last = np.flatnonzero(np.append(sorted_scores[1:] != sorted_scores[:-1], True))
    # Of no answer called correct, then of all from each score; equal but for rounding are equal.
    errors = np.append(np.sum(people**2), total[last])
    best = int(np.flatnonzero(errors <= errors.min() + 1e-12)[0])
    return np.inf if best == 0 else _middle(sorted_scores[last], best - 1)


def _middle(falling: Floats, index: int) -> float:
    """The middle between a value and the next lower one; minus infinity below the last."""
    if index + 1 == len(falling):
        return -np.inf
    upper, lower = float(falling[index]), float(falling[index + 1])
    middle = lower + (upper - lower) / 2
    # Between neighbouring floats there is no middle.
    return middle if lower < middle else upper
