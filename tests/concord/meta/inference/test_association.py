"""Permutation p-values of the figures themselves."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from concord.meta.inference import (
    COEFFICIENTS,
    GROUPINGS,
    ScoredSample,
    association_steps,
    correlations,
    run_steps,
)
from concord.meta.inference.association import permute_within
from tests.concord.meta.inference.made_up import SCIPY, gappy_sample


def association(sample, *args, draws=200, seed=0):
    return run_steps(association_steps(sample, *args, rng=np.random.default_rng(seed), draws=draws))


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_p_is_that_of_all_permutations_within_its_error(coefficient):
    x, y = np.array([1.0, 3.5, 2.0, 2.0, 6.0, 4.5]), np.array([1.0, 2.0, 3.0, 2.0, 5.0, 5.0])
    seen = abs(SCIPY[coefficient](x, y))
    nulls = [abs(SCIPY[coefficient](x, y[list(order)])) for order in permutations(range(6))]
    exact = float(np.mean(np.array(nulls) >= seen - 1e-12))
    result = association(
        ScoredSample.from_scores({"m": x}, y, items=np.arange(6)), coefficient, draws=3000
    )[0]
    assert result == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 3000) + 1e-3)


def test_p_approaches_the_t_test():
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    y = 0.2 * x + rng.normal(size=80)
    result = association(
        ScoredSample.from_scores({"m": x}, y, items=np.arange(80)), "pearson", draws=4000
    )[0]
    expected = stats.pearsonr(x, y).pvalue
    assert result == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 4000))


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_good_metrics_agree_and_noise_does_not(coefficient, grouping):
    base = gappy_sample(8, items=30)
    noise = np.random.default_rng(5).normal(size=base.n)
    sample = ScoredSample.from_scores(
        {"good": base.scores[0], "noise": noise, "same": np.ones(base.n)},
        base.gold,
        items=base.items,
        systems=base.systems,
    )
    good, none, undefined = association(sample, coefficient, grouping, draws=99)
    assert good == 0.01 and none > 0.05 and math.isnan(undefined)
    assert correlations(sample, coefficient, grouping)[2].value is None


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_gold_is_permuted_within_its_groups(grouping):
    sample = gappy_sample(2)
    groups = sample.groups(grouping)
    gold = sample.gold[groups.order]
    result = permute_within(np.random.default_rng(0), 5, gold, groups)
    assert (result != gold).any()
    for start, size in zip(groups.starts, groups.sizes, strict=True):
        part = slice(start, start + size)
        assert np.array_equal(np.sort(result[:, part]), np.tile(np.sort(gold[part]), (5, 1)))
