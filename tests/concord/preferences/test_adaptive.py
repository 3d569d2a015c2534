"""Adaptive pairs: information, connection, availability, and fewer judgments than balanced ones."""

from __future__ import annotations

import numpy as np
import pytest

from bench.adaptive_pairs import mean_misordered, study_errors
from concord.preferences import PairCounts, choose_pairs, fit
from concord.preferences.adaptive import EXPLORATION, PRIOR_SD, knowledge


def complete(systems: int, questions: int) -> np.ndarray:
    available = np.full((systems, systems), questions)
    np.fill_diagonal(available, 0)
    return available


def none(systems: int) -> np.ndarray:
    return np.zeros((systems, systems))


def test_the_posterior_is_that_of_a_normal_prior_computed_on_a_grid() -> None:
    wins = np.array([[0.0, 7.0], [3.0, 0.0]])
    logs, covariance = knowledge(wins)
    # By hand: the difference d of two independent N(0, PRIOR_SD^2) has the variance 2 PRIOR_SD^2.
    grid = np.linspace(-5, 5, 200_001)
    log_density = 7 * -np.logaddexp(0, -grid) + 3 * -np.logaddexp(0, grid)
    log_density -= grid**2 / (4 * PRIOR_SD**2)
    mode = grid[log_density.argmax()]
    curvature = -np.gradient(np.gradient(log_density, grid), grid)[log_density.argmax()]
    assert logs[0] - logs[1] == pytest.approx(mode, abs=1e-4)
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert variance == pytest.approx(1 / curvature, rel=1e-3)


def test_without_a_prior_the_fit_stays_that_of_maximum_likelihood() -> None:
    counts = PairCounts(np.array([[0.0, 7.0], [3.0, 0.0]]), np.zeros((2, 2)))
    strengths = fit(counts, ties=False).log_strengths
    assert strengths[0] - strengths[1] == pytest.approx(np.log(7 / 3))


def test_systems_are_connected_first() -> None:
    chosen = choose_pairs(none(6), none(6), complete(6, 3), 5, 1, np.random.default_rng(1))
    groups = list(range(6))
    for one in chosen:
        assert groups[one.first] != groups[one.second], "each pair connects two groups"
        groups = [groups[one.first] if g == groups[one.second] else g for g in groups]
    assert len(set(groups)) == 1


def test_pending_choices_connect_systems_too() -> None:
    pending = none(3)
    pending[0, 1] = pending[1, 0] = 1.0
    for seed in range(20):
        (one,) = choose_pairs(none(3), pending, complete(3, 5), 1, 1, np.random.default_rng(seed))
        assert (one.first, one.second) != (0, 1)


def test_close_and_uncertain_pairs_are_preferred() -> None:
    # 0 and 1 are close, 2 is far below both, and all are known equally well.
    wins = np.array([[0.0, 10.0, 18.0], [10.0, 0.0, 18.0], [2.0, 2.0, 0.0]])
    firsts = []
    for seed in range(200):
        (one,) = choose_pairs(wins, none(3), complete(3, 9), 1, 1, np.random.default_rng(seed))
        firsts.append((one.first, one.second))
        expected = 1 - EXPLORATION + EXPLORATION / 3
        best = (one.first, one.second) == (0, 1)
        assert one.probability == pytest.approx(expected if best else EXPLORATION / 3)
    assert np.mean([pair == (0, 1) for pair in firsts]) == pytest.approx(expected, abs=0.05)


def test_the_information_is_the_variance_of_the_difference_times_p_and_1_minus_p() -> None:
    wins = np.array([[0.0, 6.0], [2.0, 0.0]])
    logs, c = knowledge(wins)
    (one,) = choose_pairs(wins, none(2), complete(2, 1), 1, 1, np.random.default_rng(0))
    gap = logs[0] - logs[1]
    p = 1 / (1 + np.exp(-gap))
    expected = (c[0, 0] + c[1, 1] - 2 * c[0, 1]) * p * (1 - p)
    assert one.information == pytest.approx(expected)


def test_a_chosen_pair_counts_as_known_for_the_next() -> None:
    wins = np.full((3, 3), 5.0)
    np.fill_diagonal(wins, 0)
    chosen = choose_pairs(wins, none(3), complete(3, 50), 60, 1, np.random.default_rng(0))
    counts = [sum((c.first, c.second) == pair for c in chosen) for pair in ((0, 1), (0, 2), (1, 2))]
    assert min(counts) >= 15, "equal systems are compared equally often"
    assert chosen[-1].information < chosen[0].information


def test_no_more_pairs_than_are_available() -> None:
    available = complete(3, 1)
    available[0, 1] = available[1, 0] = 0
    chosen = choose_pairs(none(3), none(3), available, 10, 1, np.random.default_rng(0))
    assert {(one.first, one.second) for one in chosen} == {(0, 2), (1, 2)}
    assert len(chosen) == 2
    assert (
        choose_pairs(none(3), none(3), none(3).astype(int), 10, 1, np.random.default_rng(0)) == []
    )


def test_the_same_seed_chooses_the_same_pairs() -> None:
    first, second = (
        choose_pairs(none(8), none(8), complete(8, 4), 30, 2, np.random.default_rng([3, 1]))
        for _ in range(2)
    )
    assert first == second


@pytest.mark.slow
def test_adaptive_pairs_order_more_systems_right_by_the_same_judgments() -> None:
    means = {}
    for design in ("adaptive", "balanced"):
        rng = np.random.default_rng(5)
        runs = [
            mean_misordered(design, systems=10, gap=0.3, budget=2_000, rng=rng) for _ in range(40)
        ]
        means[design] = np.mean(runs)
    assert means["adaptive"] < 0.92 * means["balanced"]


@pytest.mark.slow
def test_adaptivity_biases_win_rates_but_not_win_probabilities() -> None:
    errors, rates, coverage = study_errors("adaptive", 60, np.random.default_rng(1))
    assert np.abs(errors).max() < 0.02 and np.abs(rates).max() > 0.04
    assert coverage > 0.88
