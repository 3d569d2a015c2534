"""Accuracy of metrics on pairs of answers that people compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.formats.records import Choice
from concord.inference import Estimate, clustered_share
from concord.meta.inference.tie_calibration import CandidatePairs

# Bins of the majority's share of a pair's choices, from the first bound up to the second.
MARGINS: tuple[tuple[float, float], ...] = ((0.5, 2 / 3), (2 / 3, 1.0), (1.0, np.inf))
_POINTS: dict[Choice, float] = {1: 1.0, "tie": 0.5, 2: 0.0}
NO_PAIRS = "there are no such pairs"


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """P pairs of a set's candidates.

    first, second: int64 (P,), the candidates' positions. shares: float64 (P,), the share of the
    choices for the first, a tie counting half. clusters: int64 (P,), the pairs' passages.
    """

    first: Integers
    second: Integers
    shares: Floats
    clusters: Integers

    @property
    def is_decided(self) -> Booleans:
        """Whether more people chose one candidate than the other, (P,)."""
        return np.asarray(self.shares != 0.5)


def share_of_first(choices: Iterable[Choice]) -> float:
    """The share of choices for a pair's first candidate, in [0, 1], a tie counting half. NaN
    without choices."""
    points = [_POINTS[choice] for choice in choices]
    return float(np.mean(points)) if points else np.nan


def compare_choices(pairs: JudgedPairs, scores: Floats) -> ChoiceAccuracy:
    """`choice_accuracy` of a judge that compared the pairs themselves.

    scores: float64 (P, 2), of the candidates of each pair; NaN where its answer was invalid.
    """
    first = 2 * np.arange(len(pairs.first), dtype=np.int64)
    return choice_accuracy(replace(pairs, first=first, second=first + 1), scores.ravel())


@dataclass(frozen=True)
class MarginAccuracy:
    """Accuracy on the n pairs of which the majority's share is from `low` up to, but not
    including, `high`; None for pairs of which all choices are the same."""

    low: float
    high: float | None
    n: int
    accuracy: Estimate


@dataclass(frozen=True, kw_only=True)
class ChoiceAccuracy:
    """One metric on judged pairs.

    accuracy: on the pairs with a majority. margins: the same for each bin of MARGINS. with_ties:
    the share of all pairs that the metric orders, or ties, as the majority does; its scores tie
    where they differ by `epsilon` or less, which is tuned on the same pairs, so the figure is
    slightly too high.
    """

    accuracy: Estimate
    margins: list[MarginAccuracy]
    with_ties: Estimate
    epsilon: float | None


def choice_accuracy(pairs: JudgedPairs, scores: Floats) -> ChoiceAccuracy:
    """How often a metric prefers the answer that most people prefer, in [0, 1].

    `scores`: float64 of the set's candidates, higher is better. Equal scores count half a point, a
    missing score as wrong. 95% intervals are clustered by passage (`clustered_share`). With ties:
    Deutsch, Foster and Freitag (2023), where each pair weighs the same.
    """
    gaps = scores[pairs.first] - scores[pairs.second]
    people = np.sign(pairs.shares - 0.5)
    points = np.where(np.sign(gaps) == people, 1.0, np.where(gaps == 0, 0.5, 0.0))
    majorities = np.maximum(pairs.shares, 1 - pairs.shares)
    margins = []
    for low, high in MARGINS:
        chosen = pairs.is_decided & (majorities >= low) & (majorities < high)
        figure = _accuracy(points, pairs.clusters, chosen)
        end = high if np.isfinite(high) else None
        margins.append(MarginAccuracy(low, end, int(chosen.sum()), figure))
    with_ties, epsilon = _with_ties(pairs, scores, people)
    decided = _accuracy(points, pairs.clusters, pairs.is_decided)
    return ChoiceAccuracy(accuracy=decided, margins=margins, with_ties=with_ties, epsilon=epsilon)


def _accuracy(points: Floats, clusters: Integers, chosen: Booleans) -> Estimate:
    if not chosen.any():
        return Estimate(None, reason=NO_PAIRS)
    if not np.isfinite(points[chosen]).all():
        return Estimate(None, reason="a score is missing")
    return clustered_share(points[chosen], clusters[chosen])


def _with_ties(pairs: JudgedPairs, scores: Floats, people: Floats) -> tuple[Estimate, float | None]:
    n = len(people)
    if not n:
        return Estimate(None, reason=NO_PAIRS), None
    if not np.isfinite(scores[np.concatenate([pairs.first, pairs.second])]).all():
        return Estimate(None, reason="a score is missing"), None
    same = CandidatePairs(pairs.first, pairs.second, people, np.full(n, 1 / n))
    epsilon = same.best_epsilon(scores)
    return Estimate(same.accuracy(scores, epsilon)), epsilon
