"""The clustered bootstrap: equal to the slow loop, reproducible, and about as wide as it says."""

import numpy as np
import pytest

from concord.inference import resample_counts
from concord.reliability import Ratings, RatingsError, alpha
from concord.reliability.krippendorff import cluster_coincidences, weighted_alphas
from tests.concord.reliability.oracles import LEVELS, package_alpha


def clustered_ratings(rng, clusters=40, units=3, raters=4, spread=1.0, missing=0.1):
    """Units of a cluster share their level, and every rating has noise: 1 to 5."""
    level = np.repeat(rng.normal(3, spread, clusters), units)[:, None]
    table = level + rng.normal(0, 0.3, (clusters * units, 1))
    table = np.clip(np.round(table + rng.normal(0, 1.0, (clusters * units, raters))), 1, 5)
    table[rng.random(table.shape) < missing] = np.nan
    return table, np.repeat(np.arange(clusters), units)


@pytest.mark.parametrize("level", LEVELS)
def test_resamples_equal_the_package_called_for_each(level):
    rng = np.random.default_rng(1)
    table, clusters = clustered_ratings(rng, clusters=15)
    counts = resample_counts(rng, 20, 15)
    result = weighted_alphas(
        cluster_coincidences(Ratings.from_matrix(table, clusters)), counts, level
    )
    for count, value in zip(counts, result, strict=True):
        taken = np.concatenate(
            [table[clusters == at] for at, times in enumerate(count) for _ in range(int(times))]
        )
        assert value == pytest.approx(package_alpha(taken, level), abs=1e-9)


def test_without_clusters_units_are_resampled():
    rng = np.random.default_rng(2)
    table, _ = clustered_ratings(rng)
    counts = resample_counts(rng, 5, len(table))
    result = weighted_alphas(cluster_coincidences(Ratings.from_matrix(table)), counts, "ordinal")
    for count, value in zip(counts, result, strict=True):
        taken = np.repeat(table, count.astype(int), axis=0)
        assert value == pytest.approx(package_alpha(taken, "ordinal"), abs=1e-9)


def test_the_seed_gives_the_interval_again_however_it_is_cut_up(monkeypatch):
    table, clusters = clustered_ratings(np.random.default_rng(3))
    ratings = Ratings.from_matrix(table, clusters)
    first = alpha(ratings, seed=9, draws=300)
    assert first == alpha(ratings, seed=9, draws=300)
    assert first.ci != alpha(ratings, seed=10, draws=300).ci
    assert first.ci[0] < alpha(ratings).value < first.ci[1]
    assert (first.clusters, first.draws, first.undefined) == (40, 300, 0)
    monkeypatch.setattr("concord.reliability.krippendorff.BLOCK_CELLS", 700)
    assert alpha(ratings, seed=9, draws=300).ci == pytest.approx(first.ci, abs=1e-12)


def test_clusters_widen_the_interval():
    table, clusters = clustered_ratings(np.random.default_rng(4), clusters=25, units=8)
    by_unit = alpha(Ratings.from_matrix(table), seed=1, draws=1000)
    by_cluster = alpha(Ratings.from_matrix(table, clusters), seed=1, draws=1000)
    assert np.ptp(by_cluster.ci) > 1.2 * np.ptp(by_unit.ci)


def test_the_interval_covers_about_as_often_as_it_says():
    rng = np.random.default_rng(5)
    table, clusters = clustered_ratings(rng, clusters=20_000)
    truth = alpha(Ratings.from_matrix(table), "interval").value
    covered = 0
    for seed in range(150):
        table, clusters = clustered_ratings(rng)
        ends = alpha(Ratings.from_matrix(table, clusters), "interval", seed=seed, draws=200).ci
        covered += ends[0] <= truth <= ends[1]
    assert 0.86 <= covered / 150 <= 0.99


def test_resamples_in_which_nothing_varies_are_left_out_and_counted():
    table = np.array([[1.0, 1.0]] * 36 + [[2.0, 2.0], [1.0, 2.0], [2.0, 2.0]])
    result = alpha(Ratings.from_matrix(table), "nominal", seed=0, draws=200)
    assert result.ci[0] < result.ci[1]
    assert 2 < result.undefined < 20


def test_one_rating_of_a_hundred_that_differs_gives_no_interval():
    """More than a third of the resamples do not draw it, and have no alpha."""
    table = np.ones((50, 2))
    table[0, 0] = 2
    result = alpha(Ratings.from_matrix(table), seed=0, draws=1000)
    assert result.ci is None and 300 < result.undefined < 430
    undefined = result.undefined
    assert result.reason == f"the figure is undefined in {undefined} of 1,000 resamples"


def test_equal_ratings_in_every_unit_give_no_interval():
    table = np.repeat([[1.0], [2.0]], 2, axis=1).repeat(20, axis=0)
    result = alpha(Ratings.from_matrix(table), seed=0, draws=1000)
    assert (result.ci, result.reason) == (None, "the figure is the same in all resamples")


@pytest.mark.parametrize(
    ("table", "clusters", "reason"),
    [
        ([[3, 3], [3, 3]], None, "every rating is 3"),
        ([[1, 2], [3, 3]], [0, 0], "1 passage; at least 10 are needed"),
        ([[1, np.nan]], None, "no unit"),
    ],
)
def test_no_interval_says_why(table, clusters, reason):
    groups = None if clusters is None else np.array(clusters)
    result = alpha(Ratings.from_matrix(table, groups), seed=0, draws=1000)
    assert result.ci is None
    assert reason in result.reason


def test_bad_requests_are_refused():
    ratings = Ratings.from_matrix([[1.0, 2.0], [2.0, 2.0]])
    with pytest.raises(RatingsError, match="draws"):
        alpha(ratings, draws=-1)
