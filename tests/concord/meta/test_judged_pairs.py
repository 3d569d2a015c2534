"""Accuracy of a metric on pairs that people judged: by hand, its ties, margins and intervals."""

from __future__ import annotations

import numpy as np
import pytest

from concord.inference import clustered_share, wilson
from concord.meta.judged_pairs import JudgedPairs, choice_accuracy

# Pairs (0, 1), (2, 3), ...: shares of the first.
SHARES = [1.0, 0.75, 0.6, 0.5, 0.0]


def pairs(shares: list[float], clusters: list[int] | None = None) -> JudgedPairs:
    n = len(shares)
    first = np.arange(0, 2 * n, 2)
    return JudgedPairs(first, first + 1, np.array(shares), np.array(clusters or range(n)))


def scores(*gaps: float) -> np.ndarray:
    """Scores of the candidates, of which the first of each pair leads by a gap."""
    return np.array([value for gap in gaps for value in (gap, 0.0)])


def test_by_hand() -> None:
    # Right, wrong, tied, (people tie), right.
    result = choice_accuracy(pairs(SHARES), scores(2, -1, 0, 3, -4))
    assert result.accuracy.value == pytest.approx((1 + 0 + 0.5 + 1) / 4)
    assert [(one.n, one.accuracy.value) for one in result.margins] == [(1, 0.5), (1, 0.0), (2, 1.0)]
    # As people do, at epsilon 0: pairs 1 and 5. At 3 the tie is gained, but pair 1 is lost.
    assert (result.with_ties.value, result.epsilon) == (2 / 5, 0.0)


def test_ties_of_people_are_gained_where_differences_are_small() -> None:
    result = choice_accuracy(pairs([0.5, 0.5, 1.0, 0.0]), scores(0.1, -0.2, 5, -5))
    assert (result.with_ties.value, result.epsilon) == (1.0, 0.2)
    assert result.accuracy.value == 1.0


def test_the_interval_is_clustered_by_passage() -> None:
    shares, gaps = [1.0] * 12, [1, 1, -1, 1] * 3
    clusters = [k // 4 for k in range(12)]
    result = choice_accuracy(pairs(shares, clusters), scores(*gaps))
    points = np.array([1, 1, 0, 1] * 3, dtype=float)
    expected = clustered_share(points, np.array(clusters))
    assert result.accuracy.value == 0.75 and result.accuracy == expected
    low, high = choice_accuracy(pairs([1.0] * 3), scores(1, 1, -1)).accuracy.ci
    assert (low, high) == wilson(2 / 3, 3)


def test_undefined_figures_have_a_reason() -> None:
    none = choice_accuracy(pairs([0.5]), scores(1))
    assert none.accuracy.value is None and (none.with_ties.value, none.epsilon) == (1.0, 1.0)
    missing = choice_accuracy(pairs([1.0, 1.0]), scores(1, np.nan))
    assert missing.accuracy.value == 0.5 and missing.with_ties.reason == "a score is missing"
    empty = JudgedPairs(*np.empty((2, 0), dtype=int), np.empty(0), np.empty(0, dtype=int))
    assert choice_accuracy(empty, np.empty(0)).with_ties.value is None
