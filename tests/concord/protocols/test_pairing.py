"""Pairs of an instance's candidates: every one, or a balanced and connected part of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

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
    preset,
)
from concord.protocols.pairing import pairs_of, shown_order


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
