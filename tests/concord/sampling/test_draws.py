"""Draws by hash, probabilities of rules, and weights."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from concord.estimation import EstimationError
from concord.sampling import (
    SamplingRule,
    Wave,
    available_units,
    draw_wave,
    inclusion_probabilities,
    unit_hashes,
    unit_weights,
    wave_weights,
)
from concord.sampling.expected_errors import expected_errors
from concord.sampling.rules import allocate
from tests.concord.sampling import simulated


def test_a_draw_can_be_checked_with_any_blake2b():
    digest = hashlib.blake2b(b"7:2:instance 5", digest_size=8).digest()
    expected = (int.from_bytes(digest, "big") >> 11) / 2**53
    assert unit_hashes(7, 2, ["instance 5"])[0] == expected
    p = np.full(3, 0.5)
    wave = draw_wave(2, p, ["a", "instance 5", "b"], seed=7)
    assert wave.drawn[1] == (expected < 0.5)


def test_hashes_are_uniform_and_differ_by_wave():
    ids = [str(k) for k in range(20_000)]
    first, second = unit_hashes(1, 1, ids), unit_hashes(1, 2, ids)
    assert np.histogram(first, 10, (0, 1))[0].std() < 60
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.03


def test_a_drawn_unit_is_in_no_later_wave():
    rng = np.random.default_rng(1)
    units, outcomes = simulated.population(rng, passages=60)
    waves, _ = simulated.collect(units, outcomes, simulated.RULES["active"], [20, 20, 20], seed=3)
    drawn = np.sum([wave.drawn for wave in waves], axis=0)
    assert drawn.max() == 1
    assert np.isnan(waves[2].probabilities[waves[0].drawn]).all()
    np.testing.assert_array_equal(available_units(waves, units.size), drawn == 0)


@pytest.mark.parametrize("p", [0.0, 1.5, -0.1])
def test_a_probability_outside_of_its_bounds_is_refused(p):
    with pytest.raises(EstimationError, match="wave 3: a probability"):
        Wave(3, np.array([0.5, p]), np.array([False, False]))


def test_allocation_adds_up_and_has_a_floor():
    priority = np.array([0.0, 1.0, 2.0, 100.0])
    p = allocate(priority, 2.0, 0.5)
    assert p.sum() == pytest.approx(2)
    assert p[3] == 1.0
    assert (np.diff(p) > 0).all()
    assert p.min() >= 0.5 * 2 / 4
    np.testing.assert_allclose(allocate(np.zeros(4), 2.0, 0.5), 0.5)
    np.testing.assert_allclose(allocate(priority, 4.0, 0.5), 1.0)


def test_stratified_probabilities_follow_neyman():
    """Within the share that is not uniform, they are as the residuals' spread of each stratum."""
    rng = np.random.default_rng(2)
    units, _ = simulated.population(rng, passages=2000, systems=1, rho=0.9)
    groups = (np.arange(2000) % 2).astype(np.int64)
    units = simulated.replace_groups(units, groups)
    outcomes = units.scores[:, 0] + rng.normal(size=2000) * np.where(groups, 3.0, 1.0)
    rule = SamplingRule("stratified", by="constituent", uniform_share=0.2)
    p = inclusion_probabilities(rule, units, outcomes, np.ones(2000, dtype=bool), 400)
    assert np.ptp(p[groups == 0]) == pytest.approx(0)
    errors = expected_errors(units, outcomes, "mean")
    spread = [np.sqrt(np.mean(errors[groups == g] ** 2)) for g in (0, 1)]
    mean_p = [p[groups == g].mean() - 0.2 * 400 / 2000 for g in (0, 1)]
    assert mean_p[1] / mean_p[0] == pytest.approx(spread[1] / spread[0])


def test_stratified_draws_go_where_the_metric_errs():
    rng = np.random.default_rng(3)
    units, _ = simulated.population(rng, passages=600, systems=2, rho=0.9)
    is_hard = units.scores[:, 0] > 0
    outcomes = units.scores[:, 0] + rng.normal(size=1200) * np.where(is_hard, 2.0, 0.1)
    seen = np.where(units.units < 150, outcomes, np.nan)
    available = np.arange(600) >= 150
    rule = SamplingRule("stratified", uniform_share=0.3)
    p = inclusion_probabilities(rule, units, seen, available, 100)
    assert np.isnan(p[:150]).all()
    assert np.nansum(p) == pytest.approx(100)
    assert np.nanmin(p) >= 0.3 * 100 / 450
    hard = units.unit_means(is_hard.astype(float))
    assert p[available & (hard == 1)].mean() > 1.3 * p[available & (hard == 0)].mean()


def test_before_the_first_wave_errors_are_expected_where_metrics_disagree():
    rng = np.random.default_rng(4)
    units, outcomes = simulated.population(rng, metrics=2)
    nothing = np.full(len(outcomes), np.nan)
    errors = expected_errors(units, nothing, "mean")
    z = (units.scores - units.scores.mean(axis=0)) / units.scores.std(axis=0)
    gaps = np.sqrt(units.unit_means((z[:, 0] - z[:, 1]) ** 2))
    assert np.corrcoef(errors, gaps)[0, 1] > 0.99
    alone, _ = simulated.population(rng)
    np.testing.assert_allclose(expected_errors(alone, nothing, "mean"), 1.0)


@pytest.mark.parametrize("aim", ["mean", "difference", "ranking", "metrics"])
def test_each_aim_gives_probabilities(aim):
    rng = np.random.default_rng(5)
    units, outcomes = simulated.population(rng, metrics=2)
    systems = ("system 0", "system 2") if aim == "difference" else ()
    rule = SamplingRule("stratified", aim=aim, systems=systems)
    p = inclusion_probabilities(rule, units, outcomes, np.ones(units.size, dtype=bool), 60)
    assert p.sum() == pytest.approx(60)
    assert np.ptp(p) > 0


def test_the_ranking_counts_the_closest_systems_most():
    """Units 0 to 99 have only candidates of two close systems, the others of one far below."""
    rng = np.random.default_rng(6)
    systems = np.where(np.arange(400) < 200, np.arange(400) % 2, 2)
    units, _ = simulated.population(rng, passages=400, systems=1)
    units = simulated.replace_systems(units, systems.astype(np.int64))
    outcomes = np.array([3.0, 3.1, 1.0])[systems] + rng.normal(0, 1, 400)
    ranking, mean = (expected_errors(units, outcomes, aim) for aim in ("ranking", "mean"))
    assert ranking[:200].mean() > 2 * ranking[200:].mean()
    assert mean[:200].mean() < 3 * mean[200:].mean()
    gap = expected_errors(units, outcomes, "difference", ("system 0", "system 1"))
    assert (gap[:200] > 0).all() and (gap[200:] == 0).all()


def test_faulty_rules_are_refused():
    with pytest.raises(EstimationError, match="needs two systems"):
        SamplingRule("stratified", aim="difference")
    with pytest.raises(EstimationError, match="uniform_share"):
        SamplingRule("stratified", uniform_share=0.1)
    with pytest.raises(EstimationError, match="'random' is not one of uniform"):
        SamplingRule("random")
    rng = np.random.default_rng(7)
    units, outcomes = simulated.population(rng, passages=30)
    rule = SamplingRule("stratified", aim="difference", systems=("system 0", "gpt"))
    with pytest.raises(EstimationError, match="no system 'gpt'"):
        inclusion_probabilities(rule, units, outcomes, np.ones(30, dtype=bool), 10)


def test_weights_add_up_to_the_population():
    """Sums of weights over drawn units are unbiased for the number of units."""
    rng = np.random.default_rng(8)
    units, outcomes = simulated.population(rng, passages=100)
    sums = []
    for seed in range(300):
        waves, _ = simulated.collect(
            units, outcomes, simulated.RULES["active"], [15, 25], seed=seed
        )
        assert wave_weights(waves).sum() == pytest.approx(1)
        sums.append(unit_weights(waves, units.size).sum())
    assert np.mean(sums) == pytest.approx(100, abs=4 * np.std(sums) / np.sqrt(300))
