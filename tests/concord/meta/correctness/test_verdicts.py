"""Precision, recall, F1 and their like, beside scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from concord.meta import correctness
from concord.meta.correctness import verdicts

PEERS = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
}
pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


def test_every_figure_has_a_peer() -> None:
    assert set(PEERS) == set(correctness.FIGURES)


@given(pairs)
def test_figures_are_scikit_learns_where_they_are_defined(answers: list[tuple[bool, bool]]) -> None:
    called, right = (np.array(column) for column in zip(*answers, strict=True))
    result = correctness.count_confusion(called, right)
    for name, figure in correctness.FIGURES.items():
        value = float(figure(result.counts))
        if reason := verdicts.undefined_reason(name, result):
            assert np.isnan(value), reason
        else:
            assert value == pytest.approx(PEERS[name](right, called), abs=1e-12)


@given(pairs)
def test_indicators_add_up_to_the_counts(answers: list[tuple[bool, bool]]) -> None:
    called, right = (np.array(column) for column in zip(*answers, strict=True))
    result = correctness.count_confusion(called, right)
    np.testing.assert_array_equal(verdicts.indicators(called, right).sum(axis=1), result.counts)


def test_calling_none_correct_has_an_f1_of_0_and_no_precision() -> None:
    result = correctness.count_confusion(np.zeros(4, bool), np.array([1, 0, 0, 1], bool))
    assert float(verdicts.f1(result.counts)) == 0
    assert verdicts.undefined_reason("precision", result) == "the metric calls no answer correct"


def test_the_gold_threshold_is_the_middle_of_the_scale() -> None:
    gold = np.array([1.0, 2.0, np.nan])
    assert correctness.default_gold_threshold(gold, (1.0, 5.0)) == 3.0
    assert correctness.default_gold_threshold(gold) == 1.5
    with pytest.raises(ValueError, match="no candidate"):
        correctness.default_gold_threshold(np.array([np.nan]))
    assert correctness.gold_verdicts(np.array([2.9, 3.0]), 3.0).tolist() == [False, True]
    with pytest.raises(ValueError, match="not finite"):
        correctness.gold_verdicts(gold, 3.0)
