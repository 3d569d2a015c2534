"""Position bias: what a judge prefers when two answers are shown in both orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.formats.both_orders import BothOrders, Choice
from concord.intervals import share_interval
from concord.meta.figures import Figure
from concord.reliability import Ratings, weighted_kappas


@dataclass(frozen=True)
class OrderProbe:
    """A judge's choices between two answers that it saw in both orders.

    pairs: how many. invalid: invalid answers, of twice as many. valid_pairs: pairs with two valid
    answers. correct_as_given, correct_swapped: shares of pairs where the judge chose people's
    answer, in each order; correct_average: their mean; correct_both: right in both. equal: share of
    pairs with the same choice in both orders. An invalid answer is wrong, and its pair does not
    have the same choice. bias: in [-1, 1], the share of choices for the answer shown first less
    that for the second, of all answers; 0 is none. kappa: Cohen's kappa of the two orders, of the
    pairs with two valid answers. Shares, and the bias as the share (1 + bias) / 2, have
    `share_interval`s of independent pairs.
    """

    pairs: int
    invalid: int
    valid_pairs: int
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
    right_as_given = np.array([pair.as_given == pair.better for pair in pairs])
    right_swapped = np.array([pair.swapped == pair.better for pair in pairs])
    first = np.array([pair.as_given or 0 for pair in pairs])
    second = np.array([pair.swapped or 0 for pair in pairs])
    valid = (first > 0) & (second > 0)
    # Answer 1 is shown first as given, answer 2 when swapped; an invalid answer counts for none.
    shown_first = np.stack(
        [
            np.select([first == 1, first == 2], [1.0, 0.0], 0.5),
            np.select([second == 2, second == 1], [1.0, 0.0], 0.5),
        ]
    )
    return OrderProbe(
        pairs=len(pairs),
        invalid=int(np.sum(first == 0) + np.sum(second == 0)),
        valid_pairs=int(valid.sum()),
        correct_as_given=_share(right_as_given),
        correct_swapped=_share(right_swapped),
        correct_average=_share(np.stack([right_as_given, right_swapped])),
        correct_both=_share(right_as_given & right_swapped),
        equal=_share(valid & (first == second)),
        bias=_bias(_share(shown_first)),
        kappa=_kappa(first[valid], second[valid]),
    )


def _share(values: NDArray[np.generic]) -> Figure:
    """The mean of values in [0, 1], (pairs,) or (orders, pairs); pairs are independent."""
    shares = values.astype(np.float64).reshape(-1)
    pairs = np.tile(np.arange(values.shape[-1]), len(shares) // values.shape[-1])
    return Figure(float(shares.mean()), ci=share_interval(shares, pairs))


def _bias(first: Figure) -> Figure:
    """The bias by the share of choices for the answer shown first."""
    assert first.value is not None
    return Figure(2 * first.value - 1, ci=first.ci and (2 * first.ci[0] - 1, 2 * first.ci[1] - 1))


def _kappa(first: NDArray[np.int64], second: NDArray[np.int64]) -> Figure:
    n = len(first)
    if not n:
        return Figure.undefined("no pair has two valid answers")
    ratings = Ratings(
        np.tile(np.arange(n), 2),
        np.repeat([0, 1], n),
        np.concatenate([first, second]).astype(np.float64),
    )
    kappa = weighted_kappas(ratings, "nominal", min_shared=1).kappas[0]
    if np.isnan(kappa):
        return Figure.undefined("the judge always gave the same answer")
    return Figure(float(kappa))
