"""Rules that make one verdict of several judges' answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.aggregation import Posterior, dawid_skene
from concord.arrays import Booleans, Floats
from concord.documents.jury import JuryRule
from concord.judges.confusion import MAX_POINTS
from concord.meta.correlation import pearson_rows
from concord.reliability import Ratings

TIE = 1e-9
"""Votes that differ by less are equal."""


@dataclass(frozen=True, eq=False)
class Verdicts:
    """One verdict an item. values: (n,): of grades the grade, of categories the probability with
    which the verdict is people's label: 1 / k where k labels, people's among them, share the first
    place. tied: (n,), whether labels share it."""

    values: Floats
    tied: Booleans


@dataclass(frozen=True, eq=False)
class Votes:
    """Labels with their votes. labels: (L,). votes: (n, L). Labels with the most votes of an item
    share the first place."""

    labels: Floats
    votes: Floats

    @property
    def is_first(self) -> Booleans:
        """Which labels have the first place, (n, L)."""
        return np.asarray(self.votes >= self.votes.max(axis=1, keepdims=True) - TIE)

    def drawn(self, rng: np.random.Generator) -> Floats:
        """The first label of each item, (n,); a random one of several."""
        return np.asarray(self.labels[np.argmax(self.is_first * rng.random(self.votes.shape), 1)])

    def verdicts(self, gold: Floats, *, graded: bool) -> Verdicts:
        """As verdicts about items with these labels of people, (n,)."""
        is_first = self.is_first
        count = is_first.sum(axis=1)
        if graded:
            return Verdicts(is_first @ self.labels / count, count > 1)
        is_right = (is_first & (self.labels == gold[:, None])).any(axis=1)
        return Verdicts(is_right / count, count > 1)


def grade_rules(answers: Floats, *, is_continuous: bool = False) -> tuple[JuryRule, ...]:
    """The rules for these grades: those that count equal ones need at most MAX_POINTS of them, and
    grades that are not continuous."""
    if is_continuous or len(np.unique(answers)) > MAX_POINTS:
        return ("mean", "weighted")
    return ("mean", "weighted", "majority", "dawid-skene")


CATEGORY_RULES: tuple[JuryRule, ...] = ("majority", "weighted", "dawid-skene")


def unsupervised_verdicts(
    rule: JuryRule, answers: Floats, gold: Floats, *, graded: bool
) -> Verdicts:
    """The verdicts by a rule that does not look at people's labels, which only score categories.

    answers: (judges, n), without NaN: grades or codes of categories. "majority" of grades is the
    most frequent one, the mean of several; "dawid-skene" of grades the expected value.
    """
    if rule == "mean":
        return Verdicts(answers.mean(axis=0), np.zeros(answers.shape[1], dtype=np.bool_))
    if rule == "dawid-skene" and graded:
        return Verdicts(_posterior(answers).expected, np.zeros(answers.shape[1], dtype=np.bool_))
    votes = unsupervised_votes(rule, answers)
    return votes.verdicts(gold, graded=graded)


def unsupervised_votes(rule: JuryRule, answers: Floats) -> Votes:
    """By "dawid-skene" the probability of each label, else the number of judges."""
    if rule == "dawid-skene":
        posterior = _posterior(answers)
        return Votes(posterior.categories, posterior.probabilities)
    return weighted_votes(answers, np.ones(len(answers)))


def _posterior(answers: Floats) -> Posterior:
    judges, items = np.indices(answers.shape).reshape(2, -1)
    return dawid_skene(Ratings(items, judges, answers.ravel()))


def weighted_votes(answers: Floats, weights: Floats) -> Votes:
    """The sum of the weights of the judges (judges,) that gave each label."""
    labels = np.unique(answers)
    return Votes(labels, np.stack([weights @ (answers == label) for label in labels], axis=1))


def weighted_verdicts(answers: Floats, gold: Floats, weights: Floats, *, graded: bool) -> Verdicts:
    """The weighted mean of grades, or the label with the largest sum of weights."""
    if graded:
        return Verdicts(weights @ answers / weights.sum(), np.zeros(answers.shape[1], dtype=bool))
    return weighted_votes(answers, weights).verdicts(gold, graded=False)


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
