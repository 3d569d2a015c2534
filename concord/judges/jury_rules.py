"""Rules that make one verdict of several judges' answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from concord.aggregation import dawid_skene
from concord.arrays import Booleans, Floats
from concord.judges.confusion import MAX_POINTS
from concord.meta.correlation import pearson_rows
from concord.reliability import Ratings

TIE = 1e-9
"""Votes that differ by less are equal."""
JuryRule = Literal["majority", "mean", "weighted", "dawid-skene"]
CATEGORY_RULES: tuple[JuryRule, ...] = ("majority", "weighted", "dawid-skene")


@dataclass(frozen=True, eq=False)
class Verdicts:
    """One verdict an item. grades: (n,). labels: (L,). is_first: (n, L), which labels have the
    first place; no label where the rule counts no votes."""

    grades: Floats
    labels: Floats
    is_first: Booleans

    @property
    def tied(self) -> Booleans:
        """Whether several labels share the first place, (n,)."""
        return np.asarray(self.is_first.sum(axis=1) > 1)

    def shares(self, gold: Floats) -> Floats:
        """The probability with which a verdict is people's label, (n,): 1 / k where k labels,
        people's among them, share the first place."""
        is_right = (self.is_first & (self.labels == gold[:, None])).any(axis=1)
        return np.asarray(is_right / self.is_first.sum(axis=1))

    def drawn(self, rng: np.random.Generator) -> Floats:
        """The first label of each item, (n,); a random one of several."""
        first = np.argmax(self.is_first * rng.random(self.is_first.shape), axis=1)
        return np.asarray(self.labels[first])


def decide(
    rule: JuryRule, answers: Floats, *, graded: bool, weights: Floats | None = None
) -> Verdicts:
    """The verdicts of answers (judges, n), without NaN: grades or codes of categories.

    weights: of the judges, (judges,), equal by default; of means and of votes. "majority" of grades
    is the most frequent one, the mean of several; "dawid-skene" of grades the expected value.
    """
    weights = np.ones(len(answers)) if weights is None else weights
    nothing = np.empty(0), np.empty((answers.shape[1], 0), dtype=np.bool_)
    if graded and rule in ("mean", "weighted"):
        return Verdicts(weights @ answers / weights.sum(), *nothing)
    if rule == "dawid-skene":
        judges, items = np.indices(answers.shape).reshape(2, -1)
        posterior = dawid_skene(Ratings(items, judges, answers.ravel()))
        if graded:
            return Verdicts(posterior.expected, *nothing)
        labels, votes = posterior.categories, posterior.probabilities
    else:
        labels = np.unique(answers)
        votes = np.stack([weights @ (answers == label) for label in labels], axis=1)
    is_first = votes >= votes.max(axis=1, keepdims=True) - TIE
    return Verdicts(is_first @ labels / is_first.sum(axis=1), labels, is_first)


def rules_for(answers: Floats, *, graded: bool) -> tuple[JuryRule, ...]:
    """The rules for these answers; of grades, those that count equal ones need at most MAX_POINTS
    of them."""
    if not graded:
        return CATEGORY_RULES
    rules: tuple[JuryRule, ...] = ("mean", "weighted", "majority", "dawid-skene")
    return rules if len(np.unique(answers)) <= MAX_POINTS else rules[:2]


def fitted_weights(answers: Floats, gold: Floats, *, graded: bool) -> Floats:
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
