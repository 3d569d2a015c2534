"""Position bias: what a judge prefers when two answers are shown in both orders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from concord.formats.both_orders import BothOrders, Choice
from concord.meta.figures import Figure
from concord.meta.pairs import wilson
from concord.reliability import Ratings, weighted_kappas


@dataclass(frozen=True)
class OrderProbe:
    """correct_as_given, correct_swapped: shares of pairs where the judge chose people's answer, in
    each order; correct_average: their mean; correct_both: right in both. equal: the same choice in
    both orders. An invalid answer is wrong, and equal only to another invalid one. Shares have
    Wilson's 95% interval, the average one that is clustered by pair. bias: in [-1, 1], the share
    of choices for the answer shown first less that for the second; 0 is none. kappa: Cohen's kappa
    of the two orders. pairs, invalid: counted pairs and invalid answers."""

    pairs: int
    invalid: int
    correct_as_given: Figure
    correct_swapped: Figure
    correct_average: Figure
    correct_both: Figure
    equal: Figure
    bias: Figure
    kappa: Figure

    @property
    def verdict(self) -> str:
        """What the interval of the bias says, in words."""
        if self.bias.ci is None:
            return "too few pairs to tell"
        low, high = self.bias.ci
        if low > 0:
            return "prefers the answer shown first"
        if high < 0:
            return "prefers the answer shown second"
        return "no preference for a side is seen"


# The scores of both answers by the choices in both orders: a disagreement of the orders is a tie.
_PAIR_SCORES: dict[tuple[Choice, Choice], tuple[float, float]] = {
    (1, 1): (1.0, 0.0),
    (2, 2): (0.0, 1.0),
    (1, 2): (0.5, 0.5),
    (2, 1): (0.5, 0.5),
}


def choices_of(as_given: int | None, swapped: int | None, better: Choice = 1) -> BothOrders:
    """The choices of a judge that chose these sides, 1 or 2; None for an invalid answer.

    better: people's choice. The pair's first answer is shown second in the swapped order.
    """
    sides: dict[int | None, Choice] = {1: 1, 2: 2}
    other: dict[int | None, Choice] = {1: 2, 2: 1}
    return BothOrders(better, sides.get(as_given), other.get(swapped))


def pair_scores(choices: BothOrders) -> tuple[float, float] | None:
    """The scores of a pair's answers: 1 and 0, or 0.5 each where the orders disagree; None if an
    answer is invalid."""
    if choices.as_given is None or choices.swapped is None:
        return None
    return _PAIR_SCORES[choices.as_given, choices.swapped]


def probe_orders(pairs: Sequence[BothOrders]) -> OrderProbe:
    """Figures of a judge's choices. Raises ValueError without pairs."""
    if not pairs:
        raise ValueError("no pair was judged")
    n = len(pairs)
    right_as_given = np.array([pair.as_given == pair.better for pair in pairs])
    swapped = np.array([pair.swapped == pair.better for pair in pairs])
    first = np.array([pair.as_given or 0 for pair in pairs])
    second = np.array([pair.swapped or 0 for pair in pairs])
    # Answer 1 is shown first as given, answer 2 when swapped; an invalid answer counts for none.
    sides = ((first == 1) * 1.0 - (first == 2)) + ((second == 2) * 1.0 - (second == 1))
    return OrderProbe(
        n,
        int(np.sum(first == 0) + np.sum(second == 0)),
        _share(right_as_given),
        _share(swapped),
        _mean((right_as_given + swapped.astype(float)) / 2),
        _share(right_as_given & swapped),
        _share(first == second),
        _mean(sides / 2),
        _kappa(first, second),
    )


def _share(hits: np.ndarray) -> Figure:
    share = float(hits.mean())
    return Figure(share, ci=wilson(share, len(hits)))


def _mean(values: np.ndarray) -> Figure:
    """The mean with Student's 95% interval over pairs."""
    mean, n = float(values.mean()), len(values)
    if n < 2:
        return Figure(mean)
    half = float(scipy.stats.t.ppf(0.975, n - 1)) * float(values.std(ddof=1)) / math.sqrt(n)
    return Figure(mean, ci=(mean - half, mean + half))


def _kappa(first: np.ndarray, second: np.ndarray) -> Figure:
    n = len(first)
    ratings = Ratings(
        np.tile(np.arange(n), 2),
        np.repeat([0, 1], n),
        np.concatenate([first, second]).astype(np.float64),
    )
    kappa = weighted_kappas(ratings, "nominal", min_shared=1).kappas[0]
    if np.isnan(kappa):
        return Figure.undefined("the judge always gave the same answer")
    return Figure(float(kappa))
