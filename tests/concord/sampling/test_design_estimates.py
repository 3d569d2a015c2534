"""Estimates from designs: unbiasedness, closed forms, refusals, and coverage by simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from concord.estimation import EstimationError, differences
from concord.sampling import (
    SamplingRule,
    complete_waves,
    draw_wave,
    estimate_design,
    estimate_wave,
    to_population,
)
from tests.concord.sampling import simulated


def test_one_uniform_wave_is_the_closed_form():
    """Without metrics, the estimate is the plain mean, nearly, and its variance that of a sample of
    the number that was drawn."""
    rng = np.random.default_rng(1)
    units, outcomes = simulated.population(rng, passages=400, systems=1)
    wave = draw_wave(1, np.full(400, 0.25), units.unit_ids, seed=1)
    seen = np.where(wave.drawn[units.units], outcomes, np.nan)
    (row,) = estimate_design(units, seen, [wave], method="mean")
    y = outcomes[wave.drawn[units.units]]
    n = len(y)
    assert row.mean == pytest.approx(y.mean(), abs=1e-9)
    # Residuals without the own passage are n / (n - 1) times those from the mean.
    assert row.se**2 == pytest.approx((1 - 0.25) * y.var(ddof=1) / n * (n / (n - 1)) ** 2)


@pytest.mark.parametrize("method", ["mean", "prediction-powered"])
def test_estimates_of_an_adaptive_design_are_unbiased(method):
    rng = np.random.default_rng(2)
    units, outcomes = simulated.population(rng, passages=200, rho=0.95, binary=True, threshold=1.0)
    true = simulated.truth(units, outcomes)
    errors, naive = [], []
    for seed in range(400):
        rule = simulated.Active(uniform_share=0.2)
        waves, seen = simulated.collect(units, outcomes, rule, [40, 60], seed=seed)
        rows = estimate_design(units, seen, waves, method=method)
        errors.append([row.mean for row in rows] - true)
        rated = ~np.isnan(seen)
        sums = np.bincount(units.systems[rated], seen[rated], minlength=3)
        naive.append(np.mean(sums / np.bincount(units.systems[rated], minlength=3) - true))
    errors = np.array(errors)
    assert (np.abs(errors.mean(axis=0)) < 4 * errors.std(axis=0) / np.sqrt(400)).all()
    # The plain mean of such a sample is biased.
    assert np.mean(naive) > 6 * np.std(naive) / np.sqrt(400)


def test_a_census_has_no_error():
    rng = np.random.default_rng(3)
    units, outcomes = simulated.population(rng, passages=40)
    waves, seen = simulated.collect(units, outcomes, SamplingRule(), [20, 100], seed=1)
    for row, value in zip(
        estimate_design(units, seen, waves), simulated.truth(units, outcomes), strict=True
    ):
        assert (row.method, row.se) == ("all rated", 0.0)
        assert row.mean == pytest.approx(value)


def test_a_wave_counts_when_all_its_draws_are_rated():
    rng = np.random.default_rng(4)
    units, outcomes = simulated.population(rng, passages=200)
    waves, seen = simulated.collect(units, outcomes, SamplingRule(), [40, 40], seed=1)
    first = estimate_design(units, np.where(waves[0].drawn[units.units], seen, np.nan), waves[:1])
    late = np.flatnonzero(waves[1].drawn[units.units])[0]
    seen[late] = np.nan
    assert complete_waves(units, seen, waves) == waves[:1]
    for row, expected in zip(estimate_design(units, seen, waves), first, strict=True):
        assert (row.mean, row.ci, row.rated) == (expected.mean, expected.ci, expected.rated)
    seen[:] = np.nan
    with pytest.raises(EstimationError, match="rate all draws of the first wave"):
        estimate_design(units, seen, waves)


def test_stored_parts_give_the_same():
    rng = np.random.default_rng(5)
    units, outcomes = simulated.population(rng)
    waves, seen = simulated.collect(units, outcomes, simulated.RULES["active"], [30, 30], seed=1)
    parts = [estimate_wave(units, seen, waves[:end]) for end in (1, 2)]
    for first, second in zip(
        estimate_design(units, seen, waves),
        estimate_design(units, seen, waves, parts=parts),
        strict=True,
    ):
        assert (first.mean, first.ci) == (second.mean, second.ci)


def test_a_good_metric_is_worth_many_ratings_and_noise_is_not_used():
    rng = np.random.default_rng(6)
    units, outcomes = simulated.population(rng, passages=1000, rho=0.95)
    waves, seen = simulated.collect(units, outcomes, SamplingRule(), [100], seed=1)
    assert all(row.effective_n > 3 * row.rated for row in estimate_design(units, seen, waves))
    units, outcomes = simulated.population(rng, passages=1000, rho=0)
    waves, seen = simulated.collect(units, outcomes, SamplingRule(), [100], seed=1)
    for row in estimate_design(units, seen, waves):
        assert row.method == "mean"
        assert row.effective_n == pytest.approx(row.rated, rel=0.2)
        assert (row.mean, row.ci) == (row.plain_mean, row.plain_ci)


def test_an_interval_is_refused_where_errors_are_rare():
    rng = np.random.default_rng(7)
    units, outcomes = simulated.population(rng, passages=400, systems=1, binary=True, threshold=0)
    units = simulated.replace_scores(units, outcomes)
    outcomes[:3] = 1 - outcomes[:3]
    for seed in range(10):  # with and without one of the three among the draws
        waves, seen = simulated.collect(units, outcomes, SamplingRule(), [150], seed=seed)
        (row,) = estimate_design(units, seen, waves, method="prediction-powered")
        assert row.ci is None
        assert "too few errors" in row.reason
        assert row.plain_ci is not None


def test_an_interval_needs_ten_passages():
    rng = np.random.default_rng(7)
    units, outcomes = simulated.population(rng, passages=9, per_passage=20)
    waves, seen = simulated.collect(units, outcomes, SamplingRule(), [60], seed=2)
    assert all("an interval needs 10" in row.reason for row in estimate_design(units, seen, waves))


def test_a_strata_method_is_refused():
    rng = np.random.default_rng(8)
    units, outcomes = simulated.population(rng)
    waves, seen = simulated.collect(units, outcomes, SamplingRule(), [30], seed=1)
    with pytest.raises(EstimationError, match="a design has its own strata"):
        estimate_design(units, seen, waves, method="stratified")


def coverage(rule, sizes, *, trials, seed, make=simulated.population, **options):
    """(coverage of means, of differences, share refused) over `trials` populations."""
    rng = np.random.default_rng(seed)
    means, gaps, refused, n = [], [], 0, 0
    for trial in range(trials):
        units, outcomes = make(rng, **options)
        true = simulated.truth(units, outcomes)
        waves, seen = simulated.collect(units, outcomes, rule, sizes, seed=trial)
        rows = estimate_design(units, seen, waves)
        for row, value in zip(rows, true, strict=True):
            n += 1
            refused += row.ci is None
            if row.ci is not None:
                means.append(row.ci[0] <= value <= row.ci[1])
        for gap in differences(rows)[0]:
            value = true[int(gap.first[-1])] - true[int(gap.second[-1])]
            gaps.append(gap.ci[0] <= value <= gap.ci[1])
    return np.mean(means), np.mean(gaps), refused / n


@pytest.mark.parametrize("rule", ["uniform", "stratified", "active", "ranking"])
@pytest.mark.parametrize("binary", [False, True])
def test_intervals_cover_the_sets_mean(rule, binary):
    of_means, of_gaps, refused = coverage(
        simulated.RULES[rule], [20, 20, 20], trials=120, seed=9,
        passages=150, per_passage=2, rho=0.6, metrics=2, binary=binary,
    )  # fmt: skip
    # Three systems of one sample are dependent, so the Monte Carlo error is that of 120 to 360.
    least = 0.95 - 3 * np.sqrt(0.95 * 0.05 / 200)
    assert min(of_means, of_gaps) >= least
    assert refused < 0.1


def third_of_settings():
    """A third of all combinations: each rule with each kind of ratings and all sizes, where the
    metrics rotate, so that each of them is combined with every rule, kind of ratings and size."""
    metrics = [(0.0, 2), (0.6, 3), (0.9, 1)]
    sizes = [([20], 1), ([10, 10], 2), ([20, 15, 15], 3), ([100, 150, 250], 2)]
    for (i, rule), (j, size), binary in product(
        enumerate(["uniform", "stratified", "active"]), enumerate(sizes), [False, True]
    ):
        yield rule, binary, *size, *metrics[(i + j + binary) % 3]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "binary", "sizes", "per_passage", "rho", "metrics"), list(third_of_settings())
)
def test_designs_cover_in_two_thousand_simulations(rule, binary, sizes, per_passage, rho, metrics):
    of_means, of_gaps, _ = coverage(
        simulated.RULES[rule], sizes, trials=2000, seed=10, passages=max(150, sum(sizes)),
        per_passage=per_passage, rho=rho, metrics=metrics, binary=binary,
    )  # fmt: skip
    assert of_means >= 0.935
    assert of_gaps >= 0.935


@pytest.mark.parametrize("kind", ["tail", "reversed"])
def test_a_misleading_metric_does_not_ruin_an_active_design(kind):
    rule = simulated.Active(uniform_share=0.2)
    of_means, of_gaps, refused = coverage(
        rule, [25, 25, 25], trials=120, seed=12, make=simulated.misleading, kind=kind, passages=250
    )
    assert min(of_means, of_gaps) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 200)
    assert refused < 0.15


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tail", "reversed"])
@pytest.mark.parametrize("sizes", [[20], [20, 20], [25, 25, 25, 25], [100, 100]])
def test_misleading_metrics_cover_in_two_thousand_simulations(kind, sizes):
    rule = simulated.Active(uniform_share=0.2)
    of_means, of_gaps, _ = coverage(
        rule, sizes, trials=2000, seed=13, make=simulated.misleading, kind=kind, passages=250
    )
    assert min(of_means, of_gaps) >= 0.935


def test_new_passages_have_wider_intervals_that_cover():
    """The truth is the mean over a hundred times as many passages, from which a set is drawn."""
    rng = np.random.default_rng(11)
    everything, outcomes = simulated.population(rng, passages=20_000, per_passage=3, systems=1)
    true = outcomes.mean()
    covered, widths = [], []
    for trial in range(200):
        chosen = rng.choice(20_000, 200, replace=False)
        rows = np.flatnonzero(np.isin(everything.passages, chosen))
        units = simulated.part(everything, rows)
        waves, seen = simulated.collect(units, outcomes[rows], SamplingRule(), [60, 60], seed=trial)
        of_set, of_new = (
            estimate_design(units, seen, waves, target=target)[0] for target in ("set", "new")
        )
        covered.append(of_new.ci[0] <= true <= of_new.ci[1])
        widths.append((of_new.ci[1] - of_new.ci[0]) / (of_set.ci[1] - of_set.ci[0]))
    assert np.mean(widths) > 1.2
    assert 0.95 - 3 * np.sqrt(0.95 * 0.05 / 200) <= np.mean(covered)


def test_a_frame_becomes_a_population():
    import pandas as pd

    frame = pd.DataFrame(
        [
            {"id": f"{q}-{s}", "passage": f"text {q // 2}", "question": f"{q}?", "candidate": "x",
             "references": ["x"], "system": s, "constituent": "ab"[q % 2], "instance": f"i{q}"}
            for q in range(6) for s in ("small", "large")
        ]
    )  # fmt: skip
    scores = pd.DataFrame({"m": range(12)}, index=frame["id"])
    by_instance = to_population(frame, scores)
    assert by_instance.unit_ids == ("i0", "i1", "i2", "i3", "i4", "i5")
    assert by_instance.names == ("large", "small")
    assert by_instance.groups.tolist() == [0, 1, 0, 1, 0, 1]
    by_passage = to_population(frame, scores, unit="passage")
    assert by_passage.size == 3
    assert np.unique(by_passage.units.reshape(3, 4), axis=0).shape == (3, 4)
    assert (np.ptp(by_passage.units.reshape(3, 4), axis=1) == 0).all()
