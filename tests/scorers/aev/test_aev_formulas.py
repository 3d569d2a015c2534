"""AEv's formulas on counts written by hand."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.aev.counts import NgramCounts
from scorers.aev.family import (
    Formula,
    aev,
    brevity_penalty,
    precision_and_recall,
    weighted_harmonic_mean,
    wordiness_penalty,
)


def made_up(matches: Sequence[float], candidate: int, reference: int) -> NgramCounts:
    """Counts of one text against one reference, by their numbers of words."""
    four = [[max(0, length - k) for k in range(4)] for length in (candidate, reference)]
    table = [*matches, *four[0], *matches, *four[1], candidate, reference]
    return NgramCounts(np.array(table, dtype=np.float64))


def test_the_formulas_by_hand() -> None:
    # Eight words against five: four, two, one and no n-grams are shared.
    counts = made_up([4, 2, 1, 0], candidate=8, reference=5)
    (precision, cut), (recall, also) = precision_and_recall(counts, (3, 4), Formula(wordiness=1.0))
    assert precision == pytest.approx((4 / 8 * 2 / 7 * 1 / 6) ** (1 / 3))
    penalty = math.exp(1 - 8 / 5)
    assert recall == pytest.approx((4 / 5 * 2 / 4 * 1 / 3) ** (1 / 3) * penalty)
    assert (cut, also) == (0.0, 0.0)
    mixed = aev(counts, 0.3, 3, Formula(wordiness=1.0))
    assert mixed == pytest.approx(precision * recall / (0.3 * recall + 0.7 * precision))


def test_weights_are_relative() -> None:
    counts = made_up([4, 2, 0, 0], candidate=8, reference=5)
    value = aev(counts, 1, 2, Formula(weights=(3, 1)))
    assert value == pytest.approx((4 / 8) ** 0.75 * (2 / 7) ** 0.25)
    assert aev(counts, 1, 3, Formula(weights=(1, 1, 0))) == aev(counts, 1, 2, Formula())


def test_the_wordiness_penalty_intended_and_printed() -> None:
    c, r = np.array([4.0, 10.0, 15.0, 0.0, 3.0]), np.array([10.0, 10.0, 5.0, 0.0, 0.0])
    intended = wordiness_penalty(c, r, 2.0, "intended")
    np.testing.assert_allclose(intended, [1, 1, math.exp(1 - 15 / 10), 1, 0])
    printed = wordiness_penalty(c, r, 2.0, "printed")
    np.testing.assert_allclose(printed, [1, math.exp(1 - 20 / 10), math.exp(1 - 30 / 5), 1, 0])


def test_infinite_wordiness_is_rouge_as_intended_and_nothing_as_printed() -> None:
    c, r = np.array([4.0, 500.0]), np.array([10.0, 10.0])
    assert wordiness_penalty(c, r, math.inf, "intended").tolist() == [1.0, 1.0]
    assert wordiness_penalty(c, r, math.inf, "printed").tolist() == [0.0, 0.0]


def test_an_infinite_constant_gives_no_penalty() -> None:
    # Also against an empty reference, the closest in length of several.
    c, r = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    assert wordiness_penalty(c, r, math.inf, "intended").tolist() == [1.0, 1.0, 1.0]
    assert wordiness_penalty(c, r, math.inf, "printed").tolist() == [0.0, 1.0, 1.0]
    assert brevity_penalty(c, r, math.inf).tolist() == [1.0, 1.0, 1.0]


def test_brevity_equals_that_of_bleu() -> None:
    c, r = np.array([5.0, 10.0, 12.0, 0.0, 0.0]), np.array([10.0, 10.0, 10.0, 10.0, 0.0])
    penalties = brevity_penalty(c, r, 1.0)
    np.testing.assert_allclose(penalties, [math.exp(1 - 10 / 5), 1, 1, 0, 1])
    np.testing.assert_allclose(brevity_penalty(c, r, 2.0), [1, 1, 1, 0, 1])


def test_orders_longer_than_a_text_are_skipped_or_count_zero() -> None:
    counts = made_up([2, 1, 0, 0], candidate=2, reference=2)
    assert aev(counts, 0.5, 4, Formula(short="skip")) == 1.0
    assert aev(counts, 0.5, 4, Formula(short="zero")) == 0.0
    # Precision looks at the candidate's orders, recall at the reference's.
    longer = made_up([2, 1, 0, 0], candidate=2, reference=4)
    assert aev(longer, 1, 4, Formula(brevity=math.inf)) == 1.0
    assert aev(longer, 0, 4, Formula()) == 0.0


counted = st.lists(st.integers(0, 30), min_size=4, max_size=4)


@given(
    shared=counted,
    extra=counted,
    missing=counted,
    alpha=st.floats(0, 1),
    n=st.integers(1, 4),
    penalty=st.sampled_from(["intended", "printed"]),
    short=st.sampled_from(["skip", "zero"]),
)
def test_scores_lie_between_recall_and_precision(
    shared: list[int],
    extra: list[int],
    missing: list[int],
    alpha: float,
    n: int,
    penalty: Literal["intended", "printed"],
    short: Literal["skip", "zero"],
) -> None:
    candidate, reference = np.add(shared, extra), np.add(shared, missing)
    table = [*shared, *candidate, *shared, *reference, candidate[0], reference[0]]
    form = Formula(penalty=penalty, short=short)
    (precision,), (recall,) = precision_and_recall(NgramCounts(np.array(table)), (n,), form)
    score = aev(NgramCounts(np.array(table)), alpha, n, form)
    assert 0 <= score <= 1
    assert score >= min(precision, recall) * (1 - 1e-12)
    assert score <= max(precision, recall) * (1 + 1e-12)
    assert aev(NgramCounts(np.array(table)), 0, n, form) == recall
    assert aev(NgramCounts(np.array(table)), 1, n, form) == precision


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 0.99))
def test_the_weighted_harmonic_mean_is_van_rijsbergens_f(
    precision: float, recall: float, alpha: float
) -> None:
    mean = weighted_harmonic_mean(np.array(precision), np.array(recall), alpha)
    if precision < 1e-150 or recall < 1e-150:
        assert mean <= 1e-145
    else:
        assert mean == pytest.approx(1 / (alpha / precision + (1 - alpha) / recall))


def test_invalid_arguments_of_the_formulas_are_refused() -> None:
    counts = made_up([1, 0, 0, 0], 1, 1)
    with pytest.raises(ValueError, match="alpha must be from 0 to 1"):
        aev(counts, -0.1, 1, Formula())
    with pytest.raises(ValueError, match="N must be from 1 to 4"):
        aev(counts, 0.5, 5, Formula())
    with pytest.raises(ValueError, match="18 columns"):
        NgramCounts(np.zeros((3, 4)))
