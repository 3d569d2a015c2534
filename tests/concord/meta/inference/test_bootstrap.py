"""Resampling: what is drawn, and that intervals cover."""

from __future__ import annotations

import math

import numpy as np
import pytest

from concord.inference import resample_counts
from concord.meta.inference import (
    COEFFICIENTS,
    GROUPINGS,
    RESAMPLES,
    Progress,
    SampleError,
    ScoredSample,
    bootstrap_steps,
    correlations,
    run_steps,
)
from concord.meta.inference.draws import blocks, toss_coins
from concord.meta.inference.estimators import estimator
from tests.concord.meta.inference.made_up import gappy_sample, plain_mean


def repeated(sample, passages, systems):
    """Rows of a resample, with group names that tell a passage's or a system's copies apart."""
    rows, items, names = [], [], []
    present = np.unique(sample.systems)
    for row in range(sample.n):
        system = int(np.searchsorted(present, sample.systems[row]))
        for copy in range(passages[sample.clusters[row]]):
            for again in range(systems[system]):
                rows.append(row)
                items.append(f"{sample.items[row]}-{copy}")
                names.append(f"{system}-{again}")
    return np.array(rows), {"none": np.zeros(len(rows)), "item": np.array(items), "sys": names}


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_a_draw_is_the_figure_of_whole_passages_and_systems_repeated(coefficient, grouping):
    sample = gappy_sample(1)
    rng = np.random.default_rng(0)
    passages = resample_counts(rng, 4, int(sample.clusters.max()) + 1)
    systems = resample_counts(rng, 4, len(np.unique(sample.systems)))
    figures = estimator(sample, coefficient, grouping)
    once = np.ones_like(passages), np.ones_like(systems)
    for p, s in ((passages, None), (None, systems), (passages, systems)):
        result = figures.resampled(p, s)
        for draw in range(4):
            taken = (once[0] if p is None else p)[draw], (once[1] if s is None else s)[draw]
            rows, groups = repeated(sample, *taken)
            for m, scores in enumerate(sample.scores):
                group = np.asarray(groups[grouping])
                expected = plain_mean(coefficient, scores[rows], sample.gold[rows], group)
                assert result[draw, m] == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_another_seed_gives_other_draws():
    sample = gappy_sample(5)
    one, other = (
        run_steps(bootstrap_steps(sample, "pearson", rng=np.random.default_rng(s), draws=20)).values
        for s in (1, 2)
    )
    assert not np.array_equal(one, other)


def test_progress_counts_blocks_up_to_the_last():
    seen: list[Progress] = []
    sample = gappy_sample()
    run_steps(
        bootstrap_steps(sample, "pearson", rng=np.random.default_rng(0), draws=130), seen.append
    )
    assert seen == [Progress(k, 3) for k in (1, 2, 3)]


def test_blocks_have_streams_of_their_own():
    first, second, third = blocks(np.random.default_rng(0), 130)
    assert [b.size for b in (first, second, third)] == [64, 64, 2]
    assert not np.array_equal(toss_coins(first.rng, 2, 64), toss_coins(second.rng, 2, 64))


@pytest.mark.parametrize("resample", RESAMPLES)
@pytest.mark.parametrize("grouping", GROUPINGS)
def test_an_interval_holds_the_figure_and_names_what_was_drawn(grouping, resample):
    sample = gappy_sample(2, items=60, systems=12)
    result = run_steps(
        bootstrap_steps(
            sample, "pearson", grouping, resample, rng=np.random.default_rng(3), draws=300
        )
    )
    low, high = result.figure(0).ci
    assert low <= correlations(sample, "pearson", grouping)[0].value <= high and low < high
    named = {"passages": 30, "systems": 12}
    unit_names = {
        "instances": ["passages"],
        "systems": ["systems"],
        "both": ["passages", "systems"],
    }
    assert result.units == tuple((name, named[name]) for name in unit_names[resample])


def test_answers_alike_within_a_passage_widen_the_interval():
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(40), 10)
    x = rng.normal(size=40)[cluster] + 0.1 * rng.normal(size=400)
    y = x + rng.normal(size=40)[cluster]
    widths = []
    for clusters in (np.arange(400), cluster):
        sample = ScoredSample.from_scores({"m": x}, y, items=np.arange(400), clusters=clusters)
        low, high = (
            run_steps(bootstrap_steps(sample, "pearson", rng=np.random.default_rng(1), draws=400))
            .figure(0)
            .ci
        )
        widths.append(high - low)
    assert widths[1] > 2 * widths[0]


def test_an_undefined_metric_has_no_interval_and_does_not_change_the_others():
    base = gappy_sample()
    sample = ScoredSample.from_scores(
        {"same": np.zeros(base.n), "m0": base.scores[0]}, base.gold, items=base.items
    )
    result = run_steps(bootstrap_steps(sample, "pearson", rng=np.random.default_rng(0), draws=50))
    assert result.figure(0).ci is None and np.isnan(result.values[:, 0]).all()
    assert result.figure(1).ci is not None


def test_what_cannot_be_drawn_is_refused():
    alone = ScoredSample.from_scores({"m": np.arange(4.0)}, np.arange(4.0), items=np.zeros(4))
    unknown = ScoredSample.from_scores({"m": np.arange(4.0)}, np.arange(4.0), items=np.arange(4))
    half = ScoredSample.from_scores(
        {"m": np.arange(4.0)}, np.arange(4.0), items=np.arange(4), systems=["a", "b", "", "a"]
    )
    rng = np.random.default_rng(0)
    for sample, resample, message in (
        (alone, "instances", "an interval needs at least two passages; there are 1"),
        (unknown, "systems", "an interval needs at least two systems; there are 0"),
        (half, "both", "some candidates have no system"),
        (unknown, "people", "unknown resample 'people'"),
    ):
        with pytest.raises(SampleError, match=message):
            run_steps(bootstrap_steps(sample, "pearson", "none", resample, rng=rng))
    with pytest.raises(SampleError, match="draws must be 1 or more, not 0"):
        run_steps(bootstrap_steps(unknown, "pearson", rng=rng, draws=0))


def covered(datasets: int, draws: int, clustered: bool) -> dict[str, float]:
    """How often intervals hold the true figures of normal scores with correlation 0.6."""
    true = {
        "pearson": 0.6,
        "spearman": 6 / math.pi * math.asin(0.3),
        "kendall_b": 2 / math.pi * math.asin(0.6),
    }
    covered = dict.fromkeys(true, 0)
    for dataset in range(datasets):
        rng = np.random.default_rng([dataset, 7])
        cluster = np.repeat(np.arange(60), 4) if clustered else np.arange(150)
        n = len(cluster)

        def scores(rng=rng, cluster=cluster, n=n):
            return math.sqrt(0.5) * (rng.normal(size=n)[cluster] + rng.normal(size=n))

        x, noise = scores(), scores()
        y = 0.6 * x + 0.8 * noise
        sample = ScoredSample.from_scores({"m": x}, y, items=np.arange(n), clusters=cluster)
        for kind, value in true.items():
            result = run_steps(bootstrap_steps(sample, kind, rng=rng, draws=draws)).figure(0).ci
            covered[kind] += result[0] <= value <= result[1]
    return {kind: count / datasets for kind, count in covered.items()}


@pytest.mark.parametrize("clustered", [False, True])
def test_intervals_cover_the_truth(clustered):
    for share in covered(200, 199, clustered).values():
        assert share == pytest.approx(0.95, abs=4 * math.sqrt(0.05 * 0.95 / 200))


@pytest.mark.slow
@pytest.mark.parametrize("clustered", [False, True])
def test_intervals_cover_the_truth_in_95_of_100_over_2000_data_sets(clustered):
    for share in covered(2000, 399, clustered).values():
        assert share == pytest.approx(0.95, abs=3 * math.sqrt(0.05 * 0.95 / 2000))
