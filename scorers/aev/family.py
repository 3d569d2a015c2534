"""The family of metrics AEv(alpha, N) over counts (Soricut and Brill, 2004, Section 3).

PS(N) = BP exp(sum_n w_n log P(n)), RS(N) = WP exp(sum_n w_n log R(n)), n from 1 to N, and
AEv(alpha, N) = RS(N) PS(N) / (alpha RS(N) + (1 - alpha) PS(N)). P(n) and R(n) are the clipped
matches over the candidates' and over the references' n-grams, summed over the set before they are
divided; for an item the set is the item.

Brevity, as printed: BP = 1 if B|c| >= |r|, else exp(1 - |r| / (B|c|)).
Wordiness: the paper prints WP = 1 if W|c| <= |r|, else exp(1 - W|c| / |r|), which with its W of 2
punishes every candidate longer than half its reference, and with W infinite, where the paper has
ROUGE, gives 0. The `intended` form here is BP's mirror image: WP = 1 if |c| <= W|r|, else
exp(1 - |c| / (W|r|)); the `printed` one is to be had as well.

Orders without a match: the score is 0. Orders for which there are no n-grams at all (texts
shorter than n words) are either left out, the other orders' weights scaled to sum to 1 ("skip"),
or count as 0 ("zero"); PS looks at the candidates' n-grams, RS at the references'.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scorers.aev.counts import Counts
from scorers.ngrams import MAX_ORDER

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Formula:
    """What may vary beside alpha and N, at the values of the paper's experiments.

    brevity, wordiness: B and W, above 0, infinity for no penalty. weights: relative w_n, scaled to
    sum to 1; None for 1/N each.
    """

    brevity: float = 1.0
    wordiness: float = 2.0
    penalty: Literal["intended", "printed"] = "intended"
    short: Literal["skip", "zero"] = "skip"
    weights: tuple[float, ...] | None = None

    def weights_up_to(self, n: int) -> tuple[float, ...]:
        """w_1 to w_n. Raises ValueError where the weights given are not n, or not weights."""
        if not 1 <= n <= MAX_ORDER:
            raise ValueError(f"N must be from 1 to {MAX_ORDER}, not {n}")
        given = (1.0,) * n if self.weights is None else self.weights
        if len(given) != n:
            raise ValueError(f"{n} weights are needed for N = {n}, there are {len(given)}")
        total = sum(given)
        if min(given) < 0 or not 0 < total < math.inf:
            raise ValueError("weights must not be negative, nor all 0")
        return tuple(weight / total for weight in given)


def aev(counts: Counts, alpha: float, n: int, form: Formula) -> Values:
    """AEv(alpha, N) of each table of counts: shape (...,), in [0, 1], higher is better.

    alpha 1 is PS(N), alpha 0 RS(N). Raises ValueError for alpha outside [0, 1] or N outside 1..4.
    """
    (precision,), (recall,) = precision_and_recall(counts, (n,), form)
    return weighted_harmonic_mean(precision, recall, alpha)


def precision_and_recall(
    counts: Counts, orders: Sequence[int], form: Formula
) -> tuple[Values, Values]:
    """PS(N) and RS(N) for each N asked for, each of shape (len(orders), ...), in [0, 1]."""
    candidate, reference = counts.candidate_length, counts.reference_length
    short = brevity_penalty(candidate, reference, form.brevity)
    long = wordiness_penalty(candidate, reference, form.wordiness, form.penalty)
    precision = _geometric_means(counts.candidate_matches, counts.candidate_ngrams, orders, form)
    recall = _geometric_means(counts.reference_matches, counts.reference_ngrams, orders, form)
    return short * precision, long * recall


def weighted_harmonic_mean(precision: Values, recall: Values, alpha: float) -> Values:
    """AEv of PS and RS: their harmonic mean, PS weighted by alpha; 0 where either is 0.

    alpha 1 is PS itself, alpha 0 RS itself, whatever the other is.
    """
    if not 0.0 <= alpha <= 1.0:
        raise ValueError(f"alpha must be from 0 to 1, not {alpha}")
    if alpha == 0.0:
        return recall
    if alpha == 1.0:
        return precision
    weighted = alpha * recall + (1.0 - alpha) * precision
    return np.divide(recall * precision, weighted, out=np.zeros_like(weighted), where=weighted > 0)


def brevity_penalty(candidate: Values, reference: Values, constant: float) -> Values:
    """BP of lengths |c| and |r|, in [0, 1]; 1 for two empty texts, and always with B infinite."""
    if math.isinf(constant):
        return np.ones_like(reference)
    return _decay(reference, constant * candidate)


def wordiness_penalty(
    candidate: Values, reference: Values, constant: float, form: Literal["intended", "printed"]
) -> Values:
    """WP of lengths |c| and |r|, in [0, 1]; 1 for two empty texts.

    With W infinite there is no penalty as intended, whatever the lengths (also where the closest
    reference is an empty one); as printed every candidate of a word or more then has 0.
    """
    if form == "printed":
        zero = np.zeros_like(candidate)
        words = np.multiply(constant, candidate, out=zero, where=candidate > 0)  # inf * 0 is 0
        return _decay(words, reference)
    if math.isinf(constant):
        return np.ones_like(candidate)
    return _decay(candidate, constant * reference)


def _decay(length: Values, allowed: Values) -> Values:
    """1 up to the length allowed, exp(1 - length / allowed) beyond it; 0 if none is allowed."""
    over = length > allowed
    excess = np.ones_like(length)
    excess[over] = np.inf
    np.divide(length, allowed, out=excess, where=over & (allowed > 0))
    return _apply(math.exp, 1.0 - excess)


def _geometric_means(
    matches: Values, ngrams: Values, orders: Sequence[int], form: Formula
) -> Values:
    """The weighted geometric mean of matches / ngrams over orders 1 to N, for each N."""
    logs = np.full(matches.shape, -np.inf)
    matched = matches > 0
    logs[matched] = _apply(math.log, matches[matched] / ngrams[matched])
    counted = (ngrams > 0) | (form.short == "zero")
    found = np.empty((len(orders), *matches.shape[:-1]))
    for row, n in enumerate(orders):
        total, weight = np.zeros(matches.shape[:-1]), np.zeros(matches.shape[:-1])
        for order, w in enumerate(form.weights_up_to(n)):
            if w == 0.0:
                continue
            # One order after another, so that a sum comes out the same in any company.
            total = np.where(counted[..., order], total + w * logs[..., order], total)
            weight = np.where(counted[..., order], weight + w, weight)
        mean = np.divide(total, weight, out=np.full(total.shape, -np.inf), where=weight > 0)
        found[row] = _apply(math.exp, mean)
    return found


def _apply(function: Callable[[float], float], values: Values) -> Values:
    """A function of each value, computed alone by the C library.

    NumPy's vectorised ones may differ in the last bit with a value's place in the array.
    """
    flat = np.array([function(value) for value in values.ravel().tolist()], dtype=np.float64)
    return flat.reshape(values.shape)
