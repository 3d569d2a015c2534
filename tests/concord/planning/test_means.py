"""How many passages means need: widths against simulated intervals, and what is not enough."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy

from concord.meta.inference import run_steps
from concord.planning.means import fewest_passages, interval_width, needed_passages
from concord.planning.sample_size import fewest_units, upper_t
from concord.planning.variance import ResampledComponents, VarianceComponents, component_steps
from tests.concord.planning.test_variance import TRUE, simulate


def known(parts: VarianceComponents) -> ResampledComponents:
    """Components without resamples."""
    return ResampledComponents(parts, [], 0, 0)


@pytest.mark.parametrize(("width", "each"), [(2.0, 1), (2.0, 2), (1.5, 3), (0.9, 1), (0.5, 2)])
def test_intervals_of_the_planned_passages_are_as_narrow_as_wanted(width: float, each: int) -> None:
    """The t interval of differences of two systems, as `concord estimate` computes it."""
    passages = fewest_passages(TRUE, width, each, 6, of_difference=True)
    assert passages is not None
    rng = np.random.default_rng(1)
    spread = math.sqrt(TRUE.difference_variance(1, each))
    widths = {}
    for n in (passages, passages - 1):
        differences = rng.normal(0, spread, (4000, n))
        factor = 2 * scipy.stats.t.ppf(0.975, n - 1) if n > 1 else math.inf
        widths[n] = factor * np.sqrt(np.mean(differences.var(axis=1, ddof=1)) / n)
    assert widths[passages] <= width * 1.03
    assert widths[passages - 1] > width * 0.97


@pytest.mark.parametrize(("passages", "raters", "rater"), [(5, 3, 0.2), (30, 3, 1.0), (10, 6, 0.2)])
def test_the_interval_of_a_mean_holds_it_with_few_raters(
    passages: int, raters: int, rater: float
) -> None:
    """Every rater rates every answer of one system; components by the analysis of variance."""
    rng = np.random.default_rng(2)
    n, covered = 2000, 0
    table = (
        rng.normal(0, math.sqrt(0.8), (n, passages, 1))
        + rng.normal(0, math.sqrt(rater), (n, 1, raters))
        + rng.normal(0, math.sqrt(0.4), (n, passages, raters))
    )
    means, rows, columns = table.mean(axis=(1, 2)), table.mean(axis=2), table.mean(axis=1)
    residuals = table - rows[:, :, None] - columns[:, None, :] + means[:, None, None]
    noise = (residuals**2).sum(axis=(1, 2)) / ((passages - 1) * (raters - 1))
    between = np.maximum(0, rows.var(axis=1, ddof=1) - noise / raters)
    strict = np.maximum(0, columns.var(axis=1, ddof=1) - noise / passages)
    for mean, answer, of_rater, rating in zip(means, between, strict, noise, strict=True):
        parts = VarianceComponents(None, float(answer), float(of_rater), float(rating))
        width = interval_width(parts, passages, raters, raters, of_difference=False)
        covered += abs(mean) <= width / 2
    assert covered / n >= 0.94


def test_the_fewest_passages_are_those_of_the_width() -> None:
    for width in (0.4, 1.0, 2.0):
        for each in (1, 3):
            for of_difference in (False, True):
                n = fewest_passages(TRUE, width, each, 40, of_difference=of_difference)
                assert n is not None
                now = interval_width(TRUE, n, each, 40, of_difference=of_difference)
                less = interval_width(TRUE, n - 1, each, 40, of_difference=of_difference)
                assert now <= width * (1 + 1e-9) < less or n == 2


def test_more_ratings_of_an_answer_need_no_more_passages() -> None:
    rng = np.random.default_rng(4)
    ratings, systems = simulate(rng, passages=200)
    components = run_steps(component_steps(ratings, systems, draws=60, rng=rng))
    rows = needed_passages(components, 0.4, of_difference=True, persons=6)
    for row in rows:
        assert row.passages is not None and row.low is not None and row.high is not None
        assert row.low <= row.passages <= row.high
    assert [row.passages for row in rows] == sorted((r.passages or 0 for r in rows), reverse=True)


def test_few_raters_can_be_too_few_for_any_number_of_passages() -> None:
    strict = VarianceComponents(passage=0.5, answer=0.3, rater=2.0, rating=0.4)
    rows = needed_passages(known(strict), 0.5, of_difference=False, persons=3)
    assert [row.passages for row in rows] == [None] * 3
    assert fewest_passages(TRUE, 100.0, 1, 1, of_difference=False) is None
    assert fewest_passages(TRUE, 1e-200, 1, 6, of_difference=True) is None


def test_the_range_holds_the_truth_where_each_rater_rates_few_passages() -> None:
    """Copies of a resampled passage share their raters, and are no two passages to compare."""
    true = fewest_passages(TRUE, 0.4, 1, 60, of_difference=True)
    assert true is not None
    held = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        ratings, systems = simulate(rng, raters=60, each=2)
        components = run_steps(component_steps(ratings, systems, draws=60, rng=rng))
        row = needed_passages(
            components, 0.4, of_difference=True, persons=60, max_raters_each=1
        )[0]  # fmt: skip
        assert row.low is not None and row.high is not None
        held += row.low <= true <= row.high
    assert held >= 17


def test_sample_sizes_are_the_smallest_that_are_enough() -> None:
    for ratio in (0.01, 0.5, 1.0, 3.0, 40.0):
        for tails in ((0.025,), (0.025, 0.2), (0.001, 0.2)):
            n = fewest_units(ratio, *tails)
            assert n is not None

            def needed(m: int, tails: tuple[float, ...] = tails, ratio: float = ratio) -> float:
                return float((ratio * sum(scipy.stats.t.isf(tails, m - 1))) ** 2)

            assert n >= needed(n) - 1e-6
            assert n == 2 or n - 1 < needed(n - 1)
    assert upper_t(math.inf, 0.025) == pytest.approx(1.959964)
    assert upper_t(0, 0.025) == math.inf
