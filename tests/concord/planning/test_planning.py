"""The planner: widths against direct simulation, money to the cent, estimates from ratings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy

from concord.planning.plan import (
    Assumption,
    PayTerms,
    PlanError,
    assume_crowd,
    estimate_from_ratings,
    make_plan,
    simulate_ratings,
    simulate_widths,
)
from concord.protocols import Pay, preset
from concord.reliability import Ratings, alpha
from concord.simulation import Crowd

TERMS = PayTerms(Pay(40), 10)


def direct_width(assumption: Assumption, raters: int, items: int) -> float:
    """The mean width of intervals of samples of just this size."""
    widths = []
    for at in range(30):
        ratings = Ratings.from_matrix(
            simulate_ratings(assumption, raters, items, np.random.default_rng([9, at]))
        )
        low, high = alpha(ratings, seed=at, draws=300).ci
        widths.append(high - low)
    return float(np.mean(widths))


@pytest.mark.parametrize(("raters", "items"), [(2, 100), (5, 100), (10, 400), (3, 400)])
def test_widths_are_those_of_samples_of_that_size(raters, items):
    assumption = assume_crowd(Crowd(spam=0.1))
    ((_, width_of_one),) = simulate_widths(assumption, [raters], "ordinal", 7)
    assert width_of_one / np.sqrt(items) == pytest.approx(
        direct_width(assumption, raters, items), rel=0.1
    )


def test_a_plan_is_the_same_by_its_seed_and_answers_for_every_cell():
    result = make_plan(assume_crowd(Crowd()), TERMS, 0.1, seed=3)
    assert make_plan(assume_crowd(Crowd()), TERMS, 0.1, seed=3) == result
    for row in result.rows:
        widths = [cell.width for cell in row.cells]
        assert widths == sorted(widths, reverse=True), "more items, narrower"
        assert [cell.enough for cell in row.cells] == [width <= 0.1 for width in widths]
        assert row.needed.enough
        assert row.needed.width == pytest.approx(0.1, rel=0.01)
        assert row.needed.ratings == row.needed.items * row.raters
    needed = [row.needed.items for row in result.rows]
    assert needed == sorted(needed, reverse=True), "more raters, fewer items"
    assert result.cheapest.cents == min(row.needed.cents for row in result.rows)


def test_a_narrower_interval_takes_the_square_of_the_items():
    wide, narrow = (
        make_plan(assume_crowd(Crowd()), TERMS, w, seed=3).rows[0].needed for w in (0.2, 0.1)
    )
    assert narrow.items == pytest.approx(4 * wide.items, rel=0.02)


def test_few_items_have_the_quantile_of_student():
    row = make_plan(assume_crowd(Crowd()), TERMS, 0.9, seed=3).rows[0]
    few, many = (cell.width * np.sqrt(cell.items) for cell in (row.cells[0], row.cells[-1]))
    factor = scipy.stats.t.ppf(0.975, 49) / scipy.stats.t.ppf(0.975, 1999)
    assert few / many == pytest.approx(factor)
    assert row.needed.enough and row.needed.width <= 0.9 * (1 + 1e-9)


def test_a_width_that_no_study_reaches_is_refused():
    with pytest.raises(PlanError, match="needs more than 1,000,000,000 items"):
        make_plan(assume_crowd(Crowd()), TERMS, 1e-7, seed=3)


def test_money_is_counted_by_assignment_with_the_fee_rounded_up():
    mocha, kpqa = preset("mocha-2020").pay, preset("kpqa-2021").pay
    assert PayTerms(mocha, 10).cents(3, 100) == 3 * 10 * 40
    # The smaller last HIT pays in full; pro rata, half.
    assert PayTerms(mocha, 10).cents(1, 25) == 40 + 40 + 40
    assert PayTerms(replace(mocha, pro_rata=True), 10).cents(1, 25) == 40 + 40 + 20
    assert PayTerms(mocha, 10, 20).cents(3, 100) == 3 * 10 * 48
    # 20% of 3 cents is less than the smallest fee of a cent: a third on top, not a fifth.
    assert PayTerms(kpqa, 1, 20).cents(10, 100) == 10 * 100 * 4
    assert PayTerms(kpqa, 1, 40).cents(10, 1) == 10 * 5
    assert PayTerms(Pay(5), 1, 20).cents(1, 1) == 6
    assert PayTerms(Pay(0), 1, 20).cents(5, 5) == 0


def real_ratings(noise: float, items: int = 400, raters: int = 4, seed: int = 5) -> Ratings:
    rng = np.random.default_rng(seed)
    true = rng.choice([1.0, 1.5, 3.0, 4.5, 5.0], items)
    values = Crowd(1.0, 0.0, noise).rate(true[:, None], np.zeros((1, raters), bool), rng)
    return Ratings.from_matrix(values.astype(float), clusters=np.arange(items) // 4)


@pytest.mark.parametrize("noise", [0.4, 0.8, 1.6])
def test_from_ratings_so_far_simulated_ones_agree_alike(noise):
    ratings = real_ratings(noise)
    result = estimate_from_ratings(ratings, 1, 5, "ordinal", seed=2)
    ((value, width_of_one),) = simulate_widths(result, [4], "ordinal", 7)
    real = alpha(ratings).value
    assert value == pytest.approx(real, abs=0.04)
    width = np.mean([np.ptp(alpha(ratings, seed=seed, draws=1000).ci) for seed in range(5)])
    assert width_of_one / np.sqrt(400) == pytest.approx(width, rel=0.25)


def test_noise_is_found_again_where_the_scale_has_room():
    rng = np.random.default_rng(1)
    true = rng.uniform(3, 8, 2000)
    values = Crowd(1.0, 0.0, 0.9, 0.0, 0, 10).rate(true[:, None], np.zeros((1, 5), bool), rng)
    result = estimate_from_ratings(
        Ratings.from_matrix(values.astype(float)), 0, 10, "interval", seed=2
    )
    assert result.crowd.noise == pytest.approx(0.9, abs=0.15)


def test_passages_rated_alike_widen_the_interval():
    rng = np.random.default_rng(4)
    true = np.repeat(rng.uniform(1, 5, 60), 8)
    noise = np.repeat(rng.choice([0.1, 2.5], 60), 8)  # easy passages and hard ones
    shift = rng.standard_normal((480, 4)) * noise[:, None]
    values = np.clip(np.rint(true[:, None] + shift), 1, 5)
    apart = estimate_from_ratings(Ratings.from_matrix(values), 1, 5, "ordinal", seed=2)
    together = estimate_from_ratings(
        Ratings.from_matrix(values, clusters=np.repeat(np.arange(60), 8)), 1, 5, "ordinal", seed=2
    )
    assert apart.widening == 1.0
    assert together.widening > 1.3


def test_ratings_that_tell_nothing_plan_nothing():
    with pytest.raises(PlanError, match="not enough ratings"):
        estimate_from_ratings(Ratings.from_rows([("a", "w", 3)]), 1, 5, "ordinal", seed=1)
    with pytest.raises(PlanError, match="not enough ratings"):
        estimate_from_ratings(Ratings.from_matrix(np.full((9, 3), 2.0)), 1, 5, "ordinal", seed=1)


def test_ratings_worse_than_chance_still_give_a_plan():
    rng = np.random.default_rng(1)
    values = np.stack([rng.integers(1, 6, 200), rng.integers(1, 6, 200)], axis=1)
    values[:, 1] = 6 - values[:, 0]
    result = estimate_from_ratings(
        Ratings.from_matrix(values.astype(float)), 1, 5, "ordinal", seed=1
    )
    assert make_plan(result, TERMS, 0.3, seed=1).rows


@pytest.mark.parametrize("width", [0, -1, 2.1, float("nan")])
def test_a_width_that_cannot_be_is_refused(width):
    with pytest.raises(PlanError, match="width"):
        make_plan(assume_crowd(Crowd()), TERMS, width, seed=1)


def test_costs_follow_the_mean_size_of_the_hits():
    terms = PayTerms(Pay(40, pro_rata=False), 10, candidates_per_hit=2.5)
    assert terms.cents(3, 100) == 3 * 40 * 40
    assert PayTerms(Pay(40, pro_rata=True), 10, candidates_per_hit=1.0).cents(1, 5) == 5 * 4
    assert terms.cents(1, 1) == 40 and terms.cents(1, 0) == 0
