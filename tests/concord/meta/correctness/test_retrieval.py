"""P@1, MAP, MRR, RMSE and tau: beside AVA's tables, scikit-learn and every outcome in turn."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

from concord.meta import correctness
from concord.meta.correctness import retrieval
from concord.meta.groups import Groups

# AVA, Table 7, TREC-QA test: six systems by people (GS) and by AVA.
PEOPLE = {"p1": [0.596, 0.885, 0.904, 0.962, 0.712, 0.788]}
PEOPLE |= {"map": [0.661, 0.873, 0.894, 0.904, 0.771, 0.801]}
PEOPLE |= {"mrr": [0.763, 0.933, 0.945, 0.976, 0.820, 0.869]}
AVA = {"p1": [0.635, 0.904, 0.962, 0.981, 0.712, 0.827]}
AVA |= {"map": [0.639, 0.845, 0.896, 0.886, 0.680, 0.789]}
AVA |= {"mrr": [0.764, 0.936, 0.981, 0.990, 0.793, 0.880]}
# Table 5 of the same: RMSE and sigma.
PRINTED = {"p1": (0.034, 0.018), "map": (0.041, 0.029), "mrr": (0.020, 0.012)}


@pytest.mark.parametrize("measure", PRINTED)
def test_errors_are_those_of_avas_table_5(measure: str) -> None:
    result = correctness.system_errors(np.array(AVA[measure]), np.array(PEOPLE[measure]))
    # Both tables are rounded to three decimals.
    assert result.rmse.value == pytest.approx(PRINTED[measure][0], abs=0.001)
    assert result.sigma == pytest.approx(PRINTED[measure][1], abs=0.001)


def test_the_rankings_tau_is_scipys_and_avas() -> None:
    result = correctness.system_errors(np.array(AVA["p1"]), np.array(PEOPLE["p1"])).kendall
    assert result.value == pytest.approx(1.0) and result.p == pytest.approx(0.003, abs=0.0005)
    expected = stats.kendalltau(AVA["map"], PEOPLE["map"])
    result = correctness.system_errors(np.array(AVA["map"]), np.array(PEOPLE["map"])).kendall
    assert (result.value, result.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_few_or_equal_systems_say_so() -> None:
    one = correctness.system_errors(np.array([0.5, np.nan]), np.array([0.5, 0.5]))
    assert one.rmse.value is None and "too few judged systems: 1" in one.rmse.reason
    two = correctness.system_errors(np.array([0.5, 0.6]), np.array([0.5, 0.5]))
    assert two.rmse.value is not None and "3 are needed" in two.kendall.reason
    flat = correctness.system_errors(np.full(3, 0.5), np.array([0.1, 0.2, 0.3]))
    assert flat.kendall.reason == "the metric finds all systems equal"


def single(p: list[float]) -> tuple[Groups, np.ndarray]:
    return Groups.from_codes(np.zeros(len(p), dtype=np.int64)), np.array(p)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_expected_measures_are_the_mean_over_every_outcome(p: list[float]) -> None:
    groups, chances = single(p)
    expected = {"p1": 0.0, "map": 0.0, "mrr": 0.0}
    for outcome in product((0.0, 1.0), repeat=len(p)):
        weight = float(np.prod([c if one else 1 - c for c, one in zip(p, outcome, strict=True)]))
        ranks = [rank for rank, one in enumerate(outcome, start=1) if one]
        expected["p1"] += weight * outcome[0]
        expected["mrr"] += weight * (1 / ranks[0] if ranks else 0)
        precisions = [(at + 1) / rank for at, rank in enumerate(ranks)]
        expected["map"] += weight * (sum(precisions) / len(ranks) if ranks else 0)
    assert retrieval.precision_at_1(groups, chances)[0] == pytest.approx(expected["p1"], abs=1e-9)
    assert retrieval.reciprocal_rank(groups, chances)[0] == pytest.approx(expected["mrr"], abs=1e-9)
    result = retrieval.average_precision(groups, chances)[0]
    assert result == pytest.approx(expected["map"], abs=1e-9)


@given(st.lists(st.booleans(), min_size=1, max_size=30).filter(any))
def test_verdicts_have_scikit_learns_average_precision(verdicts: list[bool]) -> None:
    groups, relevance = single([float(one) for one in verdicts])
    ranks = -np.arange(len(verdicts), dtype=float)
    expected = metrics.average_precision_score(verdicts, ranks)
    assert retrieval.average_precision(groups, relevance)[0] == pytest.approx(expected, abs=1e-12)


def test_long_lists_of_sure_candidates_do_not_vanish() -> None:
    groups, relevance = single([0.5, *[1.0] * 400])
    result = retrieval.average_precision(groups, relevance)[0]
    assert result == pytest.approx(1.0, abs=0.02)


def test_a_systems_list_is_in_the_order_it_was_given() -> None:
    items = np.array([0, 0, 1, 0, 1, 1])
    systems = np.array([0, 0, 0, 1, 1, -1])
    lists = correctness.RankedLists.from_candidates(items, systems)
    right = np.array([0.0, 1.0, 1.0, 1.0, 0.0, 1.0])
    assert not lists.single
    assert lists.by_system("p1", right).tolist() == [0.5, 0.5]
    assert lists.by_system("mrr", right).tolist() == [0.75, 0.5]
    assert lists.by_system("map", right).tolist() == [0.75, 0.5]
    assert correctness.RankedLists.from_candidates(items[2:4], systems[2:4]).single


def test_avas_lists_have_both_verdicts() -> None:
    items, systems = np.array([0, 0, 1, 1, 2, 2]), np.zeros(6, dtype=np.int64)
    right = np.array([True, False, True, True, False, False])
    lists = correctness.RankedLists.from_candidates(items, systems, right)
    assert len(lists.groups) == 1
    assert lists.by_system("map", right.astype(float)).tolist() == [1.0]


def test_a_system_without_lists_has_no_value() -> None:
    lists = correctness.RankedLists.from_candidates(np.array([0, 0]), np.array([0, 2]))
    assert np.isnan(lists.by_system("p1", np.ones(2))).tolist() == [False, True, False]
