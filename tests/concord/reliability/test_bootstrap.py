"""The clustered bootstrap: equal to the slow loop, reproducible, and about as wide as it says."""

import numpy as np
import pytest

from concord.inference import resample_counts, scaled_interval, t_quantile
from concord.reliability import Ratings, RatingsError, alpha, alpha_of_other_raters
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


def rater_dependent(rng, passages, raters):
    """Two candidates a passage; raters differ in their level, and in how noisy they are."""
    truth = np.repeat(rng.normal(size=passages), 2)[:, None] + rng.normal(size=(2 * passages, 1))
    noise = np.exp(0.3 * rng.normal(size=raters)) * rng.normal(size=(2 * passages, raters))
    values = np.clip(np.round(3 + truth + 0.5 * rng.normal(size=raters) + noise), 1, 5)
    return Ratings.from_matrix(values, np.arange(2 * passages) // 2)


def test_leaving_out_passages_raters_and_cells_is_the_two_way_interval():
    ratings = rater_dependent(np.random.default_rng(6), 12, 4)
    table, value = ratings.matrix(), alpha(ratings).value

    def variance(parts):
        left = []
        for units, rater in parts:
            rest = table.copy()
            rest[np.ix_(units, rater)] = np.nan
            left.append(alpha(Ratings.from_matrix(rest)).value)
        return (len(left) - 1) * np.var(left)

    passages = [[2 * p, 2 * p + 1] for p in range(12)]
    by_passages = variance((units, list(range(4))) for units in passages)
    by_raters = variance((list(range(24)), [rater]) for rater in range(4))
    by_cells = variance((units, [rater]) for units in passages for rater in range(4))
    squared = t_quantile(0.975, 11) ** 2 * by_passages
    squared += t_quantile(0.975, 3) ** 2 * max(0.0, by_raters - by_cells)
    squared = max(squared, t_quantile(0.975, 3) ** 2 * by_raters)
    result = alpha_of_other_raters(ratings)
    assert result.value == value and result.over == "passages and raters"
    assert result.ci == pytest.approx(scaled_interval(value, squared**0.5, "correlation"))


def test_two_raters_say_nothing_about_others():
    result = alpha_of_other_raters(rater_dependent(np.random.default_rng(7), 12, 2))
    assert result.over == "passages" and result.ci is not None


def test_the_interval_for_other_raters_holds_where_that_for_these_raters_does_not():
    rng = np.random.default_rng(8)
    truth = np.mean([alpha(rater_dependent(rng, 500, 5), "interval").value for _ in range(100)])
    covered = np.zeros(2)
    for seed in range(100):
        ratings = rater_dependent(rng, 60, 5)
        both = (
            alpha(ratings, "interval", seed=seed, draws=200),
            alpha_of_other_raters(ratings, "interval"),
        )
        covered += [each.low <= truth <= each.high for each in both]
    assert covered[0] < 85 and covered[1] >= 88
