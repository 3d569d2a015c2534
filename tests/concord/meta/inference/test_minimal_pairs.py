"""McNemar's test, lost pairs, and KPQA's rank pairs."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from concord.meta.inference import SampleError, ScoredSample, mcnemar, rank_pairs
from concord.meta.pairs import pair_accuracy

scores = hnp.arrays(np.float64, (3, 12), elements=st.integers(0, 2).map(float))


def test_mcnemar_is_the_exact_binomial_test_of_the_pairs_that_differ():
    better = np.array([[1.0] * 12 + [0] * 8, [1.0] * 3 + [0] * 9 + [1] * 2 + [0] * 6])
    result = mcnemar(better, np.full((2, 20), 0.5))
    expected = stats.binomtest(9, 11, 0.5)
    assert result.p[0, 1] == pytest.approx(expected.pvalue, abs=0.01)
    one_sided = stats.binomtest(9, 11, 0.5, alternative="greater").pvalue
    assert result.p_greater[0, 1] == pytest.approx(one_sided, abs=0.01)
    assert result.delta[0, 1] == pytest.approx((12 - 5) / 20)


def test_whole_passages_change_sign():
    """Forty passages of six equal pairs: the metrics differ on six passages."""
    wins = [np.repeat(np.where(np.arange(40) < n, 1.0, -1.0), 6) for n in (30, 24)]
    clusters = np.repeat(np.arange(40), 6)
    result = mcnemar(np.array(wins), np.zeros((2, 240)), clusters)
    assert result.p[0, 1] == pytest.approx(2 / 2**6, abs=0.006)
    assert mcnemar(np.array(wins), np.zeros((2, 240))).p[0, 1] < 0.001
    share = pair_accuracy(wins[0], np.zeros(240), clusters)
    assert share.ci == pytest.approx((0.591, 0.862), abs=0.001)


@settings(max_examples=20)
@given(scores, scores)
def test_it_is_symmetric_and_agrees_with_the_accuracies(better, worse):
    result = mcnemar(better, worse)
    assert np.array_equal(result.p, result.p.T, equal_nan=True)
    for m in range(3):
        assert result.values[m] == pytest.approx(pair_accuracy(better[m], worse[m]).value)
    assert np.all((result.p[~np.eye(3, dtype=bool)] > 0) & (result.p[~np.eye(3, dtype=bool)] <= 1))


def test_metrics_that_never_differ_cannot_be_told_apart():
    result = mcnemar(np.ones((2, 4)), np.zeros((2, 4)))
    assert result.p[0, 1] == 1.0 and result.p_greater[0, 1] == 1.0


def test_a_metric_without_scores_has_no_figure():
    better = np.array([[1.0, 2.0], [np.nan, np.nan]])
    result = mcnemar(better, np.zeros((2, 2)) * better)
    assert np.isnan(result.values[1]) and np.isnan(result.p).all()


def test_rank_pairs_are_of_two_systems_to_one_instance_far_enough_apart():
    sample = ScoredSample.from_scores(
        {"m": np.array([0.9, 0.1, 0.5, 0.5, 0.2, 0.8, 0.3]), "same": np.ones(7)},
        [4.3, 2.3, 1.0, 5.0, 5.0, 3.5, 1.0],
        items=[0, 0, 1, 1, 2, 2, 2],
        systems=["a", "b", "a", "b", "a", "b", "a"],
    )
    result = rank_pairs(sample)
    # 4.3 - 2.3 counts though it is a little less than 2 in floating point; two answers of system
    # "a" make no pair.
    assert result.better.tolist() == [0, 3, 5] and result.worse.tolist() == [1, 2, 6]
    assert result.figures[0].value == pytest.approx(2.5 / 3)
    assert result.figures[1].value is None
    assert rank_pairs(sample, 1.5).better.tolist() == [0, 3, 4, 5]


def test_a_threshold_must_be_positive():
    sample = ScoredSample.from_scores(
        {"m": np.arange(2.0)}, [1, 2], items=[0, 0], systems=["a", "b"]
    )
    with pytest.raises(SampleError, match="a threshold of 0 does not say"):
        rank_pairs(sample, 0)
    assert rank_pairs(sample).figures[0].reason == "there are no minimal pairs"


@pytest.mark.parametrize(("name", "pairs"), [("marco_all", 93), ("avsd_all", 91)])
def test_kpqas_files_hold_as_many_pairs_as_counted(concord_data, name, pairs):
    with (concord_data / "kpqa" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    instances = [(row["question"], row["reference1"]) for row in rows]
    codes = {instance: code for code, instance in enumerate(dict.fromkeys(instances))}
    half = len(rows) // 2
    sample = ScoredSample.from_scores(
        {"length": np.array([float(len(row["answer"])) for row in rows])},
        [float(row["scores"]) for row in rows],
        items=[codes[instance] for instance in instances],
        systems=["first"] * half + ["second"] * half,
    )
    assert len(rank_pairs(sample).better) == pairs
