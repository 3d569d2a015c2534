"""Figures over systems' means, their bootstrap, and soft pairwise accuracy."""

from __future__ import annotations

import numpy as np
import pytest

from concord.meta.inference import (
    FIGURES,
    RESAMPLES,
    ScoredSample,
    run_steps,
    soft_pairwise_steps,
    system_bootstrap_steps,
    system_correlations,
    system_means,
)
from tests.concord.meta.inference.made_up import (
    GOLDEN,
    SCIPY,
    all_pairs,
    gappy_sample,
    golden_sample,
)


@pytest.mark.parametrize("figure", ["pearson", "spearman", "kendall_b"])
def test_the_figures_are_those_of_mt_metrics_eval(figure):
    for name, result in zip(
        GOLDEN["metrics"], system_correlations(golden_sample(), figure), strict=True
    ):
        expected = GOLDEN["correlations"][name]["system_level"][figure]
        assert result.value == pytest.approx(expected, abs=1e-9)


def test_with_missing_entries_they_are_scipys_over_means_of_judged_candidates():
    sample = gappy_sample(3)
    means = system_means(sample)
    for s, name in enumerate(means.systems):
        of_system = sample.systems == sample.system_names.index(name)
        assert means.gold[s] == pytest.approx(sample.gold[of_system].mean())
        assert means.sizes[s] == of_system.sum()
    for figure in ("pearson", "spearman", "kendall_b"):
        for m, result in enumerate(system_correlations(sample, figure)):
            expected = SCIPY[figure](means.scores[m], means.gold)
            assert result.value == pytest.approx(expected, abs=1e-9)
    for r, r2 in zip(
        system_correlations(sample, "pearson"),
        system_correlations(sample, "r_squared"),
        strict=True,
    ):
        assert r2.value == pytest.approx(r.value**2)


def test_pairwise_accuracy_gives_half_for_the_metrics_ties_and_skips_peoples():
    gold = np.array([1.0, 2.0, 2.0, 3.0])
    metric = np.array([1.0, 1.0, 2.0, 0.0])
    sample = ScoredSample.from_scores({"m": metric}, gold, items=np.zeros(4), systems=list("abcd"))
    # Of five pairs that people order: ab tied, ac right, ad wrong, bd wrong, cd wrong.
    assert system_correlations(sample, "pairwise_accuracy")[0].value == pytest.approx(1.5 / 5)


def test_what_is_not_defined_says_why():
    sample = ScoredSample.from_scores(
        {"m": np.array([1.0, 2, 2, 1]), "gap": np.array([np.nan, 1, 2, 3])},
        [1, 2, 3, 4],
        items=[0, 0, 1, 1],
        systems=list("abab"),
    )
    few = system_correlations(sample, "pearson")[0]
    assert few.reason == "too few systems: 2 (3 are needed)"
    tied, gap = system_correlations(sample, "pairwise_accuracy")
    assert tied.value == 0.5
    assert gap.reason == "the metric has no score for 1 of 4"


def test_a_metric_that_gives_every_system_one_mean_is_undefined():
    scores = np.array([1.0, 2, 3, 3, 2, 1])
    sample = ScoredSample.from_scores(
        {"m": scores}, np.arange(6.0), items=[0] * 6, systems=list("abcabc")
    )
    result = system_correlations(sample, "spearman")[0]
    assert result.reason == "the metric gave every system the same mean"


@pytest.mark.parametrize("resample", RESAMPLES)
@pytest.mark.parametrize("figure", FIGURES)
def test_an_interval_of_systems_holds_the_figure(figure, resample):
    sample = gappy_sample(4, items=60, systems=12)
    result = run_steps(
        system_bootstrap_steps(sample, figure, resample, rng=np.random.default_rng(0), draws=200)
    )
    for m, observed in enumerate(system_correlations(sample, figure)):
        low, high = result.figure(m).ci
        assert low <= observed.value <= high


def test_a_draw_of_instances_is_the_figure_of_its_own_means():
    sample = gappy_sample(4)
    result = run_steps(
        system_bootstrap_steps(
            sample, "pearson", "instances", rng=np.random.default_rng(2), draws=1
        )
    )
    rng = np.random.default_rng(2).spawn(1)[0]
    passages = int(sample.clusters.max()) + 1
    taken = np.bincount(rng.integers(passages, size=passages), minlength=passages)
    rows = np.repeat(np.arange(sample.n), taken[sample.clusters])
    systems = np.unique(sample.systems)
    for m, scores in enumerate(sample.scores):
        means = [
            [values[rows][sample.systems[rows] == s].mean() for s in systems]
            for values in (scores, sample.gold)
        ]
        assert result.values[0, m] == pytest.approx(SCIPY["pearson"](*means), abs=1e-9)


def test_soft_pairwise_accuracy_is_that_of_mt_metrics_eval_within_its_error():
    result = run_steps(
        soft_pairwise_steps(golden_sample(), rng=np.random.default_rng(0), draws=100_000)
    )
    for name, figure in zip(result.metrics, result.figures, strict=True):
        assert figure.value == pytest.approx(GOLDEN["spa"][name], abs=0.0015)


def test_soft_pairwise_accuracy_of_gold_itself_is_one_and_of_its_opposite_near_zero():
    base = golden_sample()
    sample = ScoredSample.from_scores(
        {
            "gold": base.gold,
            "scaled": 2 * base.gold + 1,
            "turned": -base.gold,
            "same": base.gold * 0,
        },
        base.gold,
        items=base.items,
        systems=base.systems,
    )
    result = run_steps(soft_pairwise_steps(sample, rng=np.random.default_rng(0), draws=500))
    gold, scaled, turned, same = result.figures
    assert gold.value == scaled.value == 1.0
    assert turned.value < 0.2
    assert same.value is None


def test_soft_pairwise_accuracy_compares_systems_where_both_answered():
    sample = gappy_sample(7, items=12)
    result = run_steps(soft_pairwise_steps(sample, rng=np.random.default_rng(1), draws=20_000))
    rng = np.random.default_rng(2)
    p = []
    for values in (sample.gold, sample.scores[0]):
        row = []
        for a, b in all_pairs(len(np.unique(sample.systems))):
            gaps = []
            for item in np.unique(sample.items):
                cell = [values[(sample.systems == s) & (sample.items == item)] for s in (a, b)]
                if all(len(c) for c in cell):
                    gaps.append(cell[0].mean() - cell[1].mean())
            signs = rng.choice([-1.0, 1.0], size=(20_000, len(gaps)))
            row.append(np.mean(signs @ gaps >= sum(gaps) - 1e-9))
        p.append(row)
    expected = 1 - np.abs(np.array(p[0]) - np.array(p[1])).mean()
    assert result.figures[0].value == pytest.approx(expected, abs=0.01)
    assert (result.pairs, result.apart) == (10, 0)


def test_systems_that_share_no_instance_are_left_out():
    sample = ScoredSample.from_scores(
        {"m": np.arange(6.0)},
        np.arange(6.0)[::-1],
        items=[0, 0, 1, 1, 2, 2],
        systems=list("ababcc"),
    )
    result = run_steps(soft_pairwise_steps(sample, rng=np.random.default_rng(0), draws=10))
    assert (result.pairs, result.apart) == (1, 2)
