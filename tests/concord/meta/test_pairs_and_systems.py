"""Minimal pairs, means per system, differences in rank."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.meta import clustered_mean, pair_accuracy, rank_differences


def test_a_tie_counts_half_a_point():
    better, worse = np.array([1.0, 0.5, 0.2, 0.9]), np.array([0.0, 0.5, 0.3, 0.1])
    assert pair_accuracy(better, worse).value == 2.5 / 4


def test_a_missing_score_counts_as_wrong():
    better, worse = np.array([1.0, np.nan]), np.array([0.0, 0.0])
    assert pair_accuracy(better, worse).value == 0.5


def test_wilsons_interval_of_a_published_example():
    # 81 of 263: Newcombe (1998), Statistics in Medicine 17, Table I, method 3: 0.2553 to 0.3662.
    better = np.array([1.0] * 81 + [0.0] * 182)
    result = pair_accuracy(better, np.full(263, 0.5))
    assert result.ci == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_no_pairs_is_undefined():
    assert pair_accuracy(np.array([]), np.array([])).reason == "there are no minimal pairs"


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=1, max_size=40))
def test_accuracies_of_a_metric_and_its_opposite_add_up_to_one(pairs):
    better, worse = np.array(pairs).T
    result, turned = pair_accuracy(better, worse), pair_accuracy(-better, -worse)
    assert result.value + turned.value == pytest.approx(1.0)
    assert 0 <= result.ci[0] <= result.value <= result.ci[1] <= 1


def test_with_a_cluster_an_item_the_interval_is_students():
    values = np.array([1.0, 2.0, 4.0, 4.0, 5.0])
    result = clustered_mean(values, np.arange(5))
    error = values.std(ddof=1) / math.sqrt(5)
    t = 2.7764451051977987  # 97.5% point of Student's t with 4 degrees of freedom
    assert result.value == 3.2
    assert result.ci == pytest.approx((3.2 - t * error, 3.2 + t * error))


def test_answers_alike_within_a_passage_widen_the_interval():
    values = np.repeat([1.0, 3.0, 5.0, 2.0, 4.0], 10)
    alone = clustered_mean(values, np.arange(50))
    together = clustered_mean(values, np.repeat(np.arange(5), 10))
    assert together.ci[1] - together.ci[0] > 2 * (alone.ci[1] - alone.ci[0])


def test_a_mean_of_one_passage_has_no_interval():
    assert clustered_mean(np.array([1.0, 2.0]), np.array([7, 7])).ci is None


def test_rank_differences_point_to_what_the_metric_overrates():
    scores = np.array([9.0, 1.0, 2.0, 3.0, np.nan])
    gold = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    result = rank_differences(scores, gold)
    assert result[:4].tolist() == [0.75, -0.25, -0.25, -0.25]
    assert np.isnan(result[4])
