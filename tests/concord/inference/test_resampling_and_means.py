"""The rule for intervals by resampling, and the intervals of shares."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy

from concord.inference import (
    MIN_CLUSTERS,
    PERCENTILE_CLUSTERS,
    clustered_share,
    design_effect,
    resampled_estimate,
    scaled_interval,
    sign_flips,
    wilson,
)

VALUES = np.arange(1.0, 1000.0)


@pytest.mark.parametrize("clusters", range(MIN_CLUSTERS))
def test_few_clusters_give_no_interval_and_the_reason(clusters):
    interval = resampled_estimate(VALUES, 500.0, clusters, "difference")
    name = "passage" if clusters == 1 else "passages"
    assert interval.ci is None
    assert interval.reason == f"{clusters} {name}; at least {MIN_CLUSTERS} are needed"
    assert (interval.clusters, interval.draws) == (clusters, 999)


def test_undefined_resamples_are_counted_and_too_many_refuse_an_interval():
    some = np.where(VALUES <= 99, np.nan, VALUES)
    interval = resampled_estimate(some, 500.0, 50, "difference")
    assert interval.ci is not None and (interval.draws, interval.undefined) == (999, 99)
    many = np.where(VALUES <= 375, np.nan, VALUES)
    interval = resampled_estimate(many, 500.0, 50, "difference")
    assert interval.ci is None and interval.undefined == 375
    assert interval.reason == "the figure is undefined in 375 of 999 resamples"


def test_equal_resamples_say_nothing():
    interval = resampled_estimate(np.full(100, 2 / 3), 2 / 3, 50, "share")
    assert interval.ci is None and interval.reason == "the figure is the same in all resamples"


def test_many_clusters_have_percentiles_that_are_expanded_for_fewer():
    many = resampled_estimate(VALUES, 500.0, 10**9, "difference").ci
    assert many == pytest.approx((25.0, 975.0), abs=1e-3)
    fewer = resampled_estimate(VALUES, 500.0, PERCENTILE_CLUSTERS, "difference").ci
    assert fewer[0] < many[0] and fewer[1] > many[1]
    assert resampled_estimate(VALUES, 0.5, 100, "difference").ci[0] == 0.5


def test_few_clusters_have_students_interval_by_hand():
    values = np.array([0.4, 0.6, 0.5, 0.7])
    spread = math.sqrt(np.mean((values - 0.5) ** 2) * 12 / 11)
    half = scipy.stats.t.ppf(0.975, 11) * spread
    ends = resampled_estimate(values, 0.5, 12, "difference").ci
    assert ends == pytest.approx((0.5 - half, 0.5 + half))
    z = math.atanh(0.5) + np.array([-1, 1]) * half / 0.75
    assert resampled_estimate(values, 0.5, 12, "correlation").ci == pytest.approx(np.tanh(z))


@pytest.mark.parametrize("scale", ["correlation", "share"])
@pytest.mark.parametrize("half", [0.0, 0.01, 0.5, 100.0])
def test_a_scaled_interval_stays_in_its_range(scale, half):
    low_end = -1 if scale == "correlation" else 0
    for value in np.linspace(low_end, 1, 21):
        low, high = scaled_interval(float(value), half, scale)
        assert low_end <= low <= value <= high <= 1


def test_a_p_value_and_its_interval_agree():
    rng = np.random.default_rng(0)
    for clusters in (MIN_CLUSTERS, PERCENTILE_CLUSTERS - 1, PERCENTILE_CLUSTERS, 30, 500):
        for shift in np.linspace(-4, 4, 81):
            values = np.round(rng.normal(shift, 1.0, size=400), rng.integers(1, 8))
            found = resampled_estimate(values, shift, clusters, "difference", null=0.0)
            assert (found.low > 0 or found.high < 0) == (found.p < 0.05)


def test_without_an_interval_there_is_no_p_value():
    found = resampled_estimate(VALUES, 500.0, MIN_CLUSTERS - 1, "difference", null=0.0)
    assert found.p is None


def test_p_values_of_many_clusters_are_koehns():
    values = np.concatenate([np.full(30, -1.0), np.full(970, 1e-9)])
    found = resampled_estimate(values, 1.0, 10**9, "difference", null=0.0)
    assert found.p == pytest.approx(2 * 31 / 1001, rel=0.01)


def test_single_items_have_wilsons_interval_and_clusters_a_wider_one():
    hits = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    alone = clustered_share(hits, np.arange(8))
    assert alone.ci == wilson(0.75, 8)
    found = clustered_share(hits, np.repeat([0, 1, 2, 3], 2))
    # Four clusters of equal answers: a design effect of 2 * 4 / 3, three degrees of freedom.
    assert design_effect(hits, np.repeat([0, 1, 2, 3], 2)) == pytest.approx(8 / 3)
    assert found.ci == pytest.approx(wilson(0.75, 3, scipy.stats.t.ppf(0.975, 3)))
    assert clustered_share(hits, np.zeros(8)).ci is None
    assert clustered_share(hits[:0], np.zeros(0)).value is None


def test_a_share_of_one_counts_clusters():
    assert clustered_share(np.ones(20), np.repeat(np.arange(5), 4)).ci == wilson(
        1.0, 5, scipy.stats.t.ppf(0.975, 4)
    )


def test_sign_flips_are_the_exact_test_of_few_differences():
    values = np.concatenate([np.ones(12), np.zeros(68)])
    found = sign_flips(values, np.arange(80))
    assert found.p == pytest.approx(2 / 2**12, abs=4e-4)
    assert 0 < found.low < found.value == 0.15 < found.high
    repeated = sign_flips(np.repeat(values[:46], 6), np.repeat(np.arange(46), 6))
    assert repeated.p == pytest.approx(2 / 2**12, abs=4e-4)
    assert sign_flips(values[:0], np.arange(0)).value is None
    assert sign_flips(np.ones(5), np.arange(5)).ci is None


def test_the_interval_of_sign_flips_agrees_with_its_p_value():
    rng = np.random.default_rng(1)
    for _ in range(60):
        clusters = np.repeat(np.arange(15), rng.integers(1, 5, 15))
        values = rng.normal(0.4, 1, 15)[clusters] + rng.normal(size=len(clusters))
        found = sign_flips(values, clusters, draws=999)
        assert (found.low > 0 or found.high < 0) == (found.p <= 0.05)
        moved = sign_flips(3 * values, clusters, draws=999)
        assert moved.ci == pytest.approx((3 * found.low, 3 * found.high))
