"""Pairs and sets of an instance's candidates: every one, or a balanced part of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from concord.protocols import (
    Criterion,
    PairRules,
    ProtocolError,
    Qualification,
    QualityRules,
    ScalePoint,
    SetRules,
    answer_problems,
    preset,
)
from concord.protocols.pairing import pairs_of, sets_of, shown_order

WORST = Criterion("worst", "Which is the worst?", "worst")


@given(st.integers(0, 20), st.integers(2, 8), st.integers(0, 2**32))
def test_a_balanced_design_has_each_candidate_equally_often_and_connected(count, each, seed):
    rules = PairRules("balanced", each)
    pairs = pairs_of(count, rules, np.random.default_rng(seed))
    assert pairs == sorted(set(pairs)) and all(first < second for first, second in pairs)
    assert pairs == pairs_of(count, rules, np.random.default_rng(seed))
    if count < 2:
        assert pairs == []
        return
    appearances = Counter(one for pair in pairs for one in pair)
    is_odd = each % 2 == 1 and count % 2 == 1
    expected = min(each + is_odd, count - 1)
    assert set(appearances.values()) == {expected} and len(appearances) == count
    met = np.zeros((count, count))
    met[tuple(np.transpose(pairs))] = 1
    assert connected_components(met, directed=False)[0] == 1


def test_all_pairs_are_all():
    assert pairs_of(4, PairRules(), np.random.default_rng(0)) == [
        *((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)),
    ]


def test_sides_are_the_same_at_every_call_and_differ_over_workers_and_pairs():
    orders = [shown_order(2, seed, unit) for seed in range(40) for unit in range(40)]
    assert orders[7] == shown_order(2, 0, 7)
    assert {tuple(order) for order in orders} == {(1, 2), (2, 1)}
    assert 0.45 < np.mean([order == [1, 2] for order in orders]) < 0.55


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"scale": tuple(ScalePoint(v, "x") for v in (1, 2, 3))}, "scale"),
        ({"scale": tuple(ScalePoint(v, "x") for v in (0, 1))}, "scale"),
        ({"qualification": Qualification(tolerance=1)}, "qualification.tolerance"),
        ({"quality": QualityRules(gold_tolerance=1)}, "quality.gold_tolerance"),
        ({"quality": QualityRules(zscore_threshold=1.0)}, "quality.zscore_threshold"),
        ({"criteria": (Criterion("e", "?", "spans", severities=("minor",)),)}, "criteria"),
        ({"pairs": PairRules("some")}, "pairs.design"),
        ({"pairs": PairRules("balanced", 1)}, "pairs.per_candidate"),
    ],
)
def test_what_pairs_cannot_have_is_refused(changes, path):
    with pytest.raises(ProtocolError) as error:
        replace(preset("mt-bench-2023"), **changes).validated()
    assert list(error.value.problems) == [path]


def test_the_presets_of_pairs():
    """Xu et al. (2023) have no ties, Zheng et al. (2023) have."""
    assert [point.value for point in preset("lfqa-2023").scale] == [1, 2]
    assert [one.name for one in preset("lfqa-2023").criteria] == ["hard", "reason"]
    assert [point.value for point in preset("mt-bench-2023").scale] == [0, 1, 2]


@given(st.integers(0, 12), st.integers(3, 5), st.integers(1, 10), st.integers(0, 2**32))
def test_every_candidate_is_in_as_many_different_sets(count, size, each, seed):
    sets = sets_of(count, size, SetRules(each), np.random.default_rng(seed))
    assert sets == sorted(set(sets))
    assert sets == sets_of(count, size, SetRules(each), np.random.default_rng(seed))
    if count < 3:
        assert sets == []
        return
    size = min(size, count)
    assert all(one == tuple(sorted(set(one))) and len(one) == size for one in sets)
    appearances = Counter(candidate for one in sets for candidate in one)
    most = min(each, comb(count - 1, size - 1))
    assert set(appearances) == set(range(count))
    assert set(appearances.values()) <= {most, most + 1}
    if count * most % size == 0:
        assert set(appearances.values()) == {most}


@pytest.mark.parametrize(("count", "size", "each"), [(8, 4, 7), (12, 4, 8), (20, 4, 19), (9, 3, 4)])
def test_two_candidates_meet_about_equally_often(count, size, each):
    """Drawn at random, 12 candidates in 24 sets of 4 meet from 0 to 6 times."""
    sets = sets_of(count, size, SetRules(each), np.random.default_rng(0))
    meetings = Counter(pair for one in sets for pair in combinations(one, 2))
    numbers = [meetings[pair] for pair in combinations(range(count), 2)]
    assert max(numbers) - min(numbers) <= 2


def test_few_candidates_have_every_set():
    rng = np.random.default_rng(0)
    assert sets_of(3, 4, SetRules(), rng) == [(0, 1, 2)], "a smaller set"
    assert sets_of(4, 4, SetRules(), rng) == [(0, 1, 2, 3)]
    assert sets_of(5, 4, SetRules(4), rng) == list(combinations(range(5), 4))


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"scale": tuple(ScalePoint(v, "x") for v in (1, 2))}, "scale"),
        ({"scale": tuple(ScalePoint(v, "x") for v in range(1, 7))}, "scale"),
        ({"scale": tuple(ScalePoint(v, "x") for v in (0, 1, 2))}, "scale"),
        ({"criteria": ()}, "criteria"),
        ({"criteria": (WORST, replace(WORST, name="other"))}, "criteria"),
        ({"criteria": (replace(WORST, required=False),)}, "criteria"),
        ({"criteria": (replace(WORST, above=True),)}, "criteria"),
        ({"criteria": (replace(WORST, options=("a", "b")),)}, "criteria.0.options"),
        ({"sets": SetRules(0)}, "sets.per_candidate"),
        ({"qualification": Qualification(tolerance=1)}, "qualification.tolerance"),
        ({"quality": QualityRules(zscore_threshold=1.0)}, "quality.zscore_threshold"),
        ({"quality": QualityRules(gold_tolerance=1)}, "quality.gold_tolerance"),
    ],
)
def test_what_sets_cannot_have_is_refused(changes, path):
    with pytest.raises(ProtocolError) as error:
        replace(preset("best-worst-2017"), **changes).validated()
    assert list(error.value.problems) == [path]


def test_only_sets_ask_for_the_worst():
    for name in ("mt-bench-2023", "blank"):
        with pytest.raises(ProtocolError, match="where sets are compared"):
            replace(preset(name), criteria=(WORST,)).validated()


@pytest.mark.parametrize(
    ("answers", "reasons"),
    [
        ({"worst": 3}, []),
        ({}, ["missing"]),
        ({"worst": 2}, ["same"]),
        ({"worst": 4}, ["candidate"]),
        ({"worst": 0}, ["candidate"]),
        ({"worst": True}, ["candidate"]),
        ({"worst": "1"}, ["candidate"]),
    ],
)
def test_the_worst_is_another_candidate_of_the_set(answers, reasons):
    protocol = preset("best-worst-2017")
    problems = answer_problems(protocol, 2, answers, "", compared=3)
    assert [one.reason for one in problems] == reasons


def test_the_preset_of_best_worst_scaling():
    """Kiritchenko and Mohammad (2017): sets of four, each item in eight."""
    protocol = preset("best-worst-2017")
    assert (len(protocol.scale), protocol.sets.per_candidate) == (4, 8)
    assert protocol.level == "nominal" and protocol.compares
