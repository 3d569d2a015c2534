"""Weighted correlations of draws by a rule: their mean over draws is the whole set's."""

from __future__ import annotations

import numpy as np
import pytest

from concord.estimation import EstimationError
from concord.meta.correlation import kendall, pearson, spearman
from concord.sampling import draw_wave, unit_records
from concord.sampling.stored import candidate_weights, count_unrated
from tests.concord.sampling import simulated

PLAIN = {"pearson": pearson, "spearman": spearman, "kendall": kendall}


def test_weighted_figures_are_those_of_the_whole_set():
    rng = np.random.default_rng(1)
    units, outcomes = simulated.population(rng, passages=400, rho=0.7)
    scores = units.scores[:, 0]
    true = {name: formula(scores, outcomes).value for name, formula in PLAIN.items()}
    # Extreme scores are drawn more often, which makes the sample's own correlation larger.
    extremes = np.abs(units.unit_means(scores)) > 1
    first = np.where(extremes, 0.5, 0.1)
    values = {name: [] for name in PLAIN}
    unweighted = {name: [] for name in PLAIN}
    held = {name: [] for name in PLAIN}
    for seed in range(120):
        waves = [draw_wave(1, first, units.unit_ids, seed=seed)]
        second = np.where(waves[0].drawn, np.nan, np.where(extremes, 0.3, 0.08))
        waves.append(draw_wave(2, second, units.unit_ids, seed=seed))
        seen = np.where((waves[0].drawn | waves[1].drawn)[units.units], outcomes, np.nan)
        unit_rows = unit_records(units.unit_ids, waves)
        records = [unit_rows[unit] for unit in units.units]
        weights = candidate_weights(records, seen, units.passages)
        drawn = weights > 0
        for name, formula in PLAIN.items():
            figure = formula(scores[drawn], outcomes[drawn], units.passages[drawn], weights[drawn])
            values[name].append(figure.value)
            unweighted[name].append(PLAIN[name](scores[drawn], outcomes[drawn]).value)
            held[name].append(figure.ci[0] <= true[name] <= figure.ci[1])
    for name in PLAIN:
        error = np.std(values[name], ddof=1) / np.sqrt(len(values[name]))
        # A ratio of estimates has a bias of the order of 1 / n.
        assert abs(np.mean(values[name]) - true[name]) < 3 * error + 0.005, name
        assert np.mean(held[name]) > 0.88, name
    assert abs(np.mean(unweighted["pearson"]) - true["pearson"]) > 0.02, "plain ones are biased"


def test_weights_sum_to_the_population_and_leave_incomplete_waves_out():
    rng = np.random.default_rng(2)
    units, outcomes = simulated.population(rng, passages=200)
    totals = []
    for seed in range(60):
        waves, seen = simulated.collect(
            units, outcomes, simulated.RULES["active"], [30, 30], seed=seed
        )
        unit_rows = unit_records(units.unit_ids, waves)
        records = [unit_rows[unit] for unit in units.units]
        weights = candidate_weights(records, seen, units.passages)
        totals.append(weights.sum())
        late = waves[1].drawn[units.units]
        seen[np.flatnonzero(late)[0]] = np.nan
        assert (candidate_weights(records, seen, units.passages)[late] == 0).all()
        assert count_unrated(records, seen) == 1
    seen[waves[0].drawn[units.units]] = np.nan
    with pytest.raises(EstimationError, match="candidates that the first wave drew have no human"):
        candidate_weights(records, seen, units.passages)
    assert np.mean(totals) == pytest.approx(600, abs=3 * np.std(totals) / np.sqrt(60))
