"""Correlations with weights: equal to the plain ones, and to those of repeated candidates."""

from __future__ import annotations

import numpy as np
import pytest

from concord.meta.correlation import kendall, pearson, spearman
from concord.meta.weighted import WEIGHTED, resampled_weights, weighted_figures

PLAIN = {"pearson": pearson, "spearman": spearman, "kendall": kendall}


@pytest.fixture
def sample() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    gold = np.round(rng.normal(3, 1, 700))
    return np.round(gold + rng.normal(0, 1, 700), 1), gold


@pytest.mark.parametrize("name", PLAIN)
def test_equal_weights_give_the_plain_figure(sample, name):
    scores, gold = sample
    for weight in (1.0, 0.3):
        figures = weighted_figures(scores, gold, np.full(700, weight), np.arange(700))
        plain = PLAIN[name](scores, gold)
        assert figures[name].value == pytest.approx(plain.value, abs=1e-12)
        assert figures[name].ci == pytest.approx(plain.ci, abs=0.02)


@pytest.mark.parametrize("name", PLAIN)
def test_a_weight_of_two_is_the_candidate_twice(sample, name):
    scores, gold = sample
    weights = np.random.default_rng(2).integers(1, 4, 700)
    value = WEIGHTED[name](scores, gold, weights[None, :].astype(float))[0]
    repeated = PLAIN[name](np.repeat(scores, weights), np.repeat(gold, weights))
    assert value == pytest.approx(repeated.value, abs=1e-12)


def test_clusters_widen_the_interval_and_few_have_none(sample):
    scores, gold = sample
    rng = np.random.default_rng(3)
    shared = np.repeat(rng.normal(0, 2, 70), 10)
    weights = rng.uniform(1, 5, 700)

    def width(clusters):
        ci = weighted_figures(scores + shared, gold + shared, weights, clusters)["pearson"].ci
        return ci[1] - ci[0]

    assert width(np.repeat(np.arange(70), 10)) > 1.2 * width(np.arange(700))
    few = weighted_figures(scores, gold, weights, np.arange(700) % 9)
    assert all(figure.value is not None and figure.ci is None for figure in few.values())


def test_blocks_of_draws_change_nothing(sample, monkeypatch):
    scores, gold = sample
    weights, clusters = np.random.default_rng(4).uniform(1, 5, 700), np.arange(700) // 3
    in_one_block = weighted_figures(scores, gold, weights, clusters)
    monkeypatch.setattr("concord.meta.weighted.MAX_BLOCK_WEIGHTS", 7 * 700)
    assert max(len(rows) for rows in resampled_weights(weights, clusters)) == 7
    for name, figure in weighted_figures(scores, gold, weights, clusters).items():
        assert figure.value == in_one_block[name].value
        assert figure.ci == pytest.approx(in_one_block[name].ci, abs=1e-12)


def test_what_is_undefined_has_its_reason(sample):
    scores, gold = sample
    scores = scores.copy()
    scores[0] = np.nan
    figures = weighted_figures(scores, gold, np.ones(700), np.arange(700))
    for figure in figures.values():
        assert figure.reason == "the metric has no score for 1 of 700", "no unweighted value"
    same = weighted_figures(np.ones(700), gold, np.ones(700), np.arange(700))
    assert "gives every candidate the same score" in same["pearson"].reason
