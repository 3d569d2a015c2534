"""The family of metrics AEv(alpha, N) over counts (Soricut and Brill, 2004, Section 3).

PS(N) = BP exp(sum_n w_n log P(n)), RS(N) = WP exp(sum_n w_n log R(n)), n from 1 to N, and
AEv(alpha, N) = RS(N) PS(N) / (alpha RS(N) + (1 - alpha) PS(N)). P(n) and R(n) are the clipped
matches over the candidates' and over the references' n-grams, summed over the set before they are
divided; for an item the set is the item.

Brevity, as printed: BP = 1 if B|c| >= |r|, else exp(1 - |r| / (B|c|)).
Wordiness: the paper prints WP = 1 if W|c| <= |r|, else exp(1 - W|c| / |r|), which with its W of 2
penalises every candidate longer than half its reference, and which is 0 for an infinite W, although
the paper obtains ROUGE there. The penalty `intended` mirrors BP: WP = 1 if |c| <= W|r|, else
exp(1 - |c| / (W|r|)). The penalty `printed` is the paper's formula.

An order without a match makes the score 0. An order without n-grams (texts shorter than n words)
is either left out, with the other orders' weights scaled to sum to 1 ("skip"), or counts as 0
("zero"). PS uses the candidates' n-grams, RS the references'.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scorers.aev.counts import NgramCounts
from scorers.ngrams import MAX_ORDER

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Formula:
    """The parameters beside alpha and N; the defaults are those of the paper's experiments.

    brevity, wordiness: B and W, above 0, infinity for no penalty. penalty: the wordiness penalty.
    short: how an order without n-grams counts. weights: relative w_n, scaled to sum to 1; None for
    1/N each.
    """

    brevity: float = 1.0
    wordiness: float = 2.0
    penalty: Literal["intended", "printed"] = "intended"
    short: Literal["skip", "zero"] = "skip"
    weights: tuple[float, ...] | None = None

    def weights_up_to(self, n: int) -> tuple[float, ...]:
        """w_1 to w_n. Raises ValueError if there are not n weights, or if they are invalid."""
        if not 1 <= n <= MAX_ORDER:
            raise ValueError(f"N must be from 1 to {MAX_ORDER}, not {n}")
        weights = (1.0,) * n if self.weights is None else self.weights
        if len(weights) != n:
            raise ValueError(f"N = {n} needs {n} weights, not {len(weights)}")
        total = sum(weights)
        if min(weights) < 0 or not 0 < total < math.inf:
            raise ValueError("weights must be 0 or above, and one of them above 0")
        return tuple(weight / total for weight in weights)


def aev(counts: NgramCounts, alpha: float, n: int, formula: Formula) -> Values:
    """AEv(alpha, N) of each table of counts: shape (...,), in [0, 1], higher is better.

    alpha 1 is PS(N), alpha 0 RS(N). Raises ValueError for alpha outside [0, 1] or N outside 1..4.
    """
    (precision,), (recall,) = precision_and_recall(counts, (n,), formula)
    return weighted_harmonic_mean(precision, recall, alpha)


def precision_and_recall(
    counts: NgramCounts, orders: Sequence[int], formula: Formula
) -> tuple[Values, Values]:
    """PS(N) and RS(N) for each N in `orders`, each of shape (len(orders), ...), in [0, 1]."""
    candidate, reference = counts.candidate_length, counts.reference_length
    brevity = brevity_penalty(candidate, reference, formula.brevity)
    wordiness = wordiness_penalty(candidate, reference, formula.wordiness, formula.penalty)
    precision = _geometric_means(counts.candidate_matches, counts.candidate_ngrams, orders, formula)
    recall = _geometric_means(counts.reference_matches, counts.reference_ngrams, orders, formula)
    return brevity * precision, wordiness * recall


def weighted_harmonic_mean(precision: Values, recall: Values, alpha: float) -> Values:
    """AEv of PS and RS: their harmonic mean, PS weighted by alpha; 0 where either is 0.

    alpha 1 gives PS and alpha 0 gives RS, whatever the other value is.
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
    candidate: Values, reference: Values, constant: float, kind: Literal["intended", "printed"]
) -> Values:
    """WP of lengths |c| and |r|, in [0, 1]; 1 for two empty texts.

    With an infinite W the intended penalty is always 1, even for an empty reference; the printed
    one is 0 for every candidate of one word or more.
    """
    if kind == "printed":
        zero = np.zeros_like(candidate)
        words = np.multiply(constant, candidate, out=zero, where=candidate > 0)  # inf * 0 is 0
        return _decay(words, reference)
    if math.isinf(constant):
        return np.ones_like(candidate)
    return _decay(candidate, constant * reference)


def _decay(length: Values, limit: Values) -> Values:
    """1 up to the length `limit`, exp(1 - length / limit) beyond it; 0 if the limit is 0."""
    over = length > limit
    excess = np.ones_like(length)
    excess[over] = np.inf
    np.divide(length, limit, out=excess, where=over & (limit > 0))
    return _apply(math.exp, 1.0 - excess)


def _geometric_means(
    matches: Values, ngrams: Values, orders: Sequence[int], formula: Formula
) -> Values:
    """The weighted geometric mean of matches / ngrams over orders 1 to N, for each N."""
    logs = np.full(matches.shape, -np.inf)
    matched = matches > 0
    logs[matched] = _apply(math.log, matches[matched] / ngrams[matched])
    counted = (ngrams > 0) | (formula.short == "zero")
    means = np.empty((len(orders), *matches.shape[:-1]))
    for row, n in enumerate(orders):
        total, weight = np.zeros(matches.shape[:-1]), np.zeros(matches.shape[:-1])
        for order, w in enumerate(formula.weights_up_to(n)):
            if w == 0.0:
                continue
            # One order after another, so that a sum does not depend on the other rows.
            total = np.where(counted[..., order], total + w * logs[..., order], total)
            weight = np.where(counted[..., order], weight + w, weight)
        mean = np.divide(total, weight, out=np.full(total.shape, -np.inf), where=weight > 0)
        means[row] = _apply(math.exp, mean)
    return means


def _apply(function: Callable[[float], float], values: Values) -> Values:
    """Apply a function of the C library to the values one by one.

    NumPy's vectorised functions may differ in the last bit, depending on a value's position in the
    array.
    """
    flat = np.array([function(value) for value in values.ravel().tolist()], dtype=np.float64)
    return flat.reshape(values.shape)
