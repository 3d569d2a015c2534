"""Rules that make one verdict of several judges' answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.aggregation import dawid_skene
from concord.documents.jury import JuryRule
from concord.judges.calibration import MAX_POINTS
from concord.meta.correlation import pearson_rows
from concord.reliability import Ratings

TIE = 1e-9
"""Votes that differ by less are equal."""


@dataclass(frozen=True, eq=False)
class Verdicts:
    """One verdict an item. values: (n,): of grades the grade, of categories the probability with
    which the verdict is people's label: 1 / k where k labels, people's among them, share the first
    place. tied: (n,), whether labels share it."""

    values: NDArray[np.float64]
    tied: NDArray[np.bool_]


def grade_rules(answers: NDArray[np.float64]) -> tuple[JuryRule, ...]:
    """The rules for these grades: those that count equal ones need at most MAX_POINTS of them."""
    if len(np.unique(answers)) > MAX_POINTS:
        return ("mean", "weighted")
    return ("mean", "weighted", "majority", "dawid-skene")


CATEGORY_RULES: tuple[JuryRule, ...] = ("majority", "weighted", "dawid-skene")


def unsupervised_verdicts(
    rule: JuryRule, answers: NDArray[np.float64], gold: NDArray[np.float64], *, graded: bool
) -> Verdicts:
    """The verdicts by a rule that does not look at people's labels, which only score categories.

    answers: (judges, n), without NaN: grades or codes of categories. "majority" of grades is the
    most frequent one, the mean of several; "dawid-skene" of grades the expected value.
    """
    if rule == "mean":
        return Verdicts(answers.mean(axis=0), np.zeros(answers.shape[1], dtype=np.bool_))
    if rule == "dawid-skene":
        judges, items = np.indices(answers.shape).reshape(2, -1)
        posterior = dawid_skene(Ratings(items, judges, answers.ravel()))
        if graded:
            return Verdicts(posterior.expected, np.zeros(answers.shape[1], dtype=np.bool_))
        return _of_votes(posterior.categories, posterior.probabilities, gold, graded=False)
    return weighted_verdicts(answers, gold, np.ones(len(answers)), graded=graded, is_vote=True)


def weighted_verdicts(
    answers: NDArray[np.float64],
    gold: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    graded: bool,
    is_vote: bool = False,
) -> Verdicts:
    """The weighted mean of grades, or the label with the largest sum of weights. is_vote: grades
    are counted as labels."""
    if graded and not is_vote:
        return Verdicts(weights @ answers / weights.sum(), np.zeros(answers.shape[1], dtype=bool))
    labels = np.unique(answers)
    votes = np.stack([weights @ (answers == label) for label in labels], axis=1)
    return _of_votes(labels, votes, gold, graded=graded)


def fitted_weights(
    answers: NDArray[np.float64], gold: NDArray[np.float64], *, graded: bool
) -> NDArray[np.float64]:
    """The weight of each judge by its agreement with people on these items, (judges,), at least 0,
    with the sum 1; equal weights where no judge agrees more than chance.

    Grades: Pearson's r. Categories: log(p (K - 1) / (1 - p)), with p the share of right labels,
    (right + 1) / (n + 2), and K the number of people's labels, the weights of the best vote of
    independent judges (Nitzan and Paroush 1982, Optimal Decision Rules in Uncertain Dichotomous
    Choice Situations, for K = 2).
    """
    if graded:
        weights = np.nan_to_num(pearson_rows(answers, gold))
    else:
        right = (np.sum(answers == gold, axis=1) + 1) / (len(gold) + 2)
        weights = np.log(right * max(1, len(np.unique(gold)) - 1) / (1 - right))
    weights = np.maximum(weights, 0.0)
    total = float(weights.sum())
    return weights / total if total else np.full(len(weights), 1 / len(weights))


def _of_votes(
    labels: NDArray[np.float64],
    votes: NDArray[np.float64],
    gold: NDArray[np.float64],
    *,
    graded: bool,
) -> Verdicts:
    """The verdicts of (n, labels) votes."""
    is_first = votes >= votes.max(axis=1, keepdims=True) - TIE
    count = is_first.sum(axis=1)
    if graded:
        return Verdicts(is_first @ labels / count, count > 1)
    is_right = (is_first & (labels == gold[:, None])).any(axis=1)
    return Verdicts(is_right / count, count > 1)
