"""Gold scores that are means, against numpy and scipy unit by unit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from concord.aggregation import METHODS, gold_scores, mean, median, trimmed_mean, zscore_mean
from concord.reliability import Ratings, RatingsError
from tests.concord.reliability.oracles import tables


def by_unit(table, figure):
    rows = (row[~np.isnan(row)] for row in table)
    return [figure(row) if len(row) else np.nan for row in rows]


@given(tables(), st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.4]))
def test_mean_median_and_trimmed_mean(table, proportion):
    ratings = Ratings.from_matrix(table)
    np.testing.assert_allclose(mean(ratings), by_unit(table, np.mean), atol=1e-12)
    np.testing.assert_allclose(median(ratings), by_unit(table, np.median), atol=1e-12)
    np.testing.assert_allclose(
        trimmed_mean(ratings, proportion),
        by_unit(table, lambda row: stats.trim_mean(row, proportion)),
        atol=1e-12,
    )


@given(tables())
def test_the_mean_of_worker_zscores_on_the_scale_of_the_ratings(table):
    with np.errstate(all="ignore"):
        spread = np.array([np.nanstd(c) if not np.isnan(c).all() else 0 for c in table.T])
        centre = np.array([np.nanmean(c) if not np.isnan(c).all() else 0 for c in table.T])
        z = np.where(spread > 1e-12, (table - centre) / spread, table - table)
    every = table[~np.isnan(table)]
    expected = np.array(by_unit(z, np.mean))
    if len(every):
        expected = every.mean() + every.std() * expected
    np.testing.assert_allclose(zscore_mean(Ratings.from_matrix(table)), expected, atol=1e-9)


def test_a_stern_and_a_mild_worker_count_alike():
    table = np.array([[1.0, 3.0], [2.0, 4.0], [3.0, 5.0]])
    result = zscore_mean(Ratings.from_matrix(table))
    with_one_missing = zscore_mean(Ratings.from_matrix(np.vstack([table, [3.0, np.nan]])))
    assert result == pytest.approx([3 - 1.29 * 1.2247, 3, 3 + 1.29 * 1.2247], abs=0.01)
    assert with_one_missing[3] > with_one_missing[1]


@pytest.mark.parametrize("proportion", [-0.1, 0.5, 1.0])
def test_a_trim_that_leaves_nothing_is_refused(proportion):
    with pytest.raises(RatingsError, match="proportion"):
        trimmed_mean(Ratings.from_matrix([[1.0, 2.0]]), proportion)


@pytest.mark.parametrize("method", METHODS)
def test_a_unit_without_kept_ratings_is_nan_and_no_other(method):
    table = np.random.default_rng(0).integers(1, 6, (20, 4)).astype(float)
    ratings = Ratings.from_matrix(table)
    kept_ratings = ratings.keep((ratings.units != 7) & (ratings.raters != 2))
    result = gold_scores(kept_ratings, method, seed=1)
    assert result.dtype == np.float64
    assert np.flatnonzero(np.isnan(result)).tolist() == [7]
    assert np.isnan(
        gold_scores(kept_ratings.keep(np.zeros(len(kept_ratings), dtype=bool)), method)
    ).all()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_what_all_agree_on(method):
    table = np.repeat([[1.0], [5.0], [3.0], [1.0], [5.0], [3.0]], 5, axis=1)
    result = gold_scores(Ratings.from_matrix(table), method)
    np.testing.assert_allclose(result, table[:, 0], atol=0.05)


def test_an_unknown_method_is_refused():
    with pytest.raises(RatingsError, match="choose one of mean, median"):
        gold_scores(Ratings.from_rows([]), "mode")
