"""Weights on a sorted sequence against the candidates repeated as often as they weigh."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from concord.inference.products import product
from concord.meta.groups import mean_of_defined
from concord.meta.inference import COEFFICIENTS, GROUPINGS
from concord.meta.inference.estimators import estimator
from concord.meta.inversions import Inversions
from tests.concord.meta.inference.made_up import all_pairs, gappy_sample, group_codes, plain_mean

small = st.integers(0, 6)


def plain_inversions(values, weights) -> int:
    return sum(
        int(weights[i]) * int(weights[j])
        for i, j in all_pairs(len(values))
        if values[i] > values[j]
    )


@given(hnp.arrays(np.int64, st.integers(1, 24), elements=small), st.integers(1, 4), st.data())
def test_inversions_are_counted_as_by_definition(values, groups, data):
    group = np.sort(np.arange(len(values)) % groups)
    weights = data.draw(hnp.arrays(np.int32, (3, len(values)), elements=st.integers(0, 3)))
    sequence = Inversions(group, values.astype(float))
    result = sequence.count(weights)
    for g in np.unique(group):
        in_group = group == g
        for draw in range(3):
            assert result[draw, g] == plain_inversions(values[in_group], weights[draw, in_group])
            alone = np.flatnonzero(in_group)[0]
            others = [v > values[alone] for v in values[:alone][in_group[:alone]]]
            others += [v < values[alone] for v in values[alone:][in_group[alone:]]]
            assert sequence.involving(np.ones(len(values)))[alone] == sum(others)


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_a_weighted_figure_is_that_of_the_candidates_repeated(coefficient, grouping):
    sample = gappy_sample(3)
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, size=(6, sample.n)).astype(np.int32)
    result = estimator(sample, coefficient, grouping).means(weights)
    groups = group_codes(sample, grouping)
    for draw, taken in enumerate(weights):
        rows = np.repeat(np.arange(sample.n), taken)
        for m, scores in enumerate(sample.scores):
            expected = plain_mean(coefficient, scores[rows], sample.gold[rows], groups[rows])
            assert result[draw, m] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_groups_are_weighed_as_often_as_they_are_taken(coefficient):
    sample = gappy_sample(4)
    rng = np.random.default_rng(2)
    systems = len(np.unique(sample.systems))
    of_group = rng.integers(0, 3, size=(5, systems)).astype(float)
    result = estimator(sample, coefficient, "sys")
    for weights in (None, np.ones((5, sample.n), dtype=np.int32)):
        expected = mean_of_defined(result.observed[None], of_group[:, None])
        assert result.means(weights, of_group) == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 5), st.integers(1, 9000), st.integers(1, 70))
@settings(max_examples=15)
def test_products_in_pieces_are_products(rows, size, columns):
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(rows, size)), rng.normal(size=(size, columns))
    assert np.allclose(product(left, right), left @ right, rtol=0, atol=1e-9)
