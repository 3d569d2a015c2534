"""Statistics of workers, and the filter that removes them."""

import numpy as np
import pytest
from hypothesis import given

from concord.filtering import (
    correlation_with_others,
    equal_to_others,
    filter_workers,
    mean_abs_z,
    unit_zscores,
    worker_statistics,
)
from concord.reliability import Ratings, RatingsError, alpha
from tests.concord.reliability.oracles import squality_rows, table_of, tables


def crowd_with_a_spammer(units=80, honest=9):
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, (units, 1))
    table = np.clip(truth + rng.integers(-1, 2, (units, honest)), 1, 5).astype(float)
    return np.hstack([table, rng.integers(1, 6, (units, 1))])


@given(tables())
def test_statistics_equal_plain_numpy(table):
    ratings = Ratings.from_matrix(table)
    result = worker_statistics(ratings)
    z = np.full(table.shape, np.nan)
    for at, row in enumerate(table):
        values = row[~np.isnan(row)]
        if len(values) >= 2:
            spread = values.std() if np.ptp(values) else np.inf
            z[at] = (row - values.mean()) / spread
    for rater, column in enumerate(table.T):
        worker_z = z[:, rater][~np.isnan(z[:, rater])]
        assert result.count[rater] == np.count_nonzero(~np.isnan(column))
        assert result.mean_z[rater] == pytest.approx(
            worker_z.mean() if len(worker_z) else np.nan, abs=1e-9, nan_ok=True
        )
        assert result.mean_abs_z[rater] == pytest.approx(
            np.abs(worker_z).mean() if len(worker_z) else np.nan, abs=1e-9, nan_ok=True
        )


@given(tables())
def test_correlation_is_with_the_mean_of_the_others(table):
    result = correlation_with_others(Ratings.from_matrix(table))
    for rater, column in enumerate(table.T):
        others = np.delete(table, rater, axis=1)
        both = ~np.isnan(column) & ~np.isnan(others).all(axis=1)
        x, y = column[both], np.array([np.nanmean(row) for row in others[both]])
        if len(x) < 3 or np.ptp(x) < 1e-9 or np.ptp(y) < 1e-9:
            assert np.isnan(result[rater])
        else:
            assert result[rater] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)


def test_gold_accuracy_is_within_the_tolerance_and_over_units_with_a_key():
    ratings = Ratings.from_matrix([[1, 2], [3, 5], [4, np.nan], [2, 2]])
    keys = np.array([1.0, 4.0, 4.0, np.nan])
    exact = worker_statistics(ratings, gold=keys)
    near = worker_statistics(ratings, gold=keys, tolerance=1)
    assert exact.gold_count.tolist() == [3, 2]
    assert exact.gold_accuracy.tolist() == [pytest.approx(2 / 3), 0.0]
    assert near.gold_accuracy.tolist() == [1.0, 1.0]
    assert np.isnan(worker_statistics(ratings).gold_accuracy).all()


def test_the_median_time_is_over_known_times():
    ratings = Ratings.from_matrix([[1, 2], [3, 5], [4, np.nan]])
    seconds = np.array([4.0, 9.0, 10.0, np.nan, 1.0])
    assert worker_statistics(ratings, seconds=seconds).seconds.tolist() == [4.0, 9.0]


def test_alpha_rises_without_the_one_who_presses_anything():
    table = crowd_with_a_spammer()
    ratings = Ratings.from_matrix(table)
    change = worker_statistics(ratings).alpha_change
    expected = alpha(Ratings.from_matrix(table[:, :-1])).value - alpha(ratings).value
    assert change[-1] == pytest.approx(expected, abs=1e-9)
    assert change[-1] > 0.02 > change[:-1].max()


def test_the_filter_removes_the_worker_far_from_the_rest_wholly():
    ratings = Ratings.from_matrix(crowd_with_a_spammer())
    mask = filter_workers(ratings, 2.0)
    np.testing.assert_array_equal(mask, ratings.raters != 9)
    measured = mean_abs_z(ratings)
    threshold = (measured[9] + np.sort(measured)[-2]) / 2
    np.testing.assert_array_equal(filter_workers(ratings, threshold, by="mean-abs-z"), mask)


def test_mean_abs_z_is_of_ratings_within_their_unit():
    ratings = Ratings.from_matrix([[1, 2, 3], [5, 5, 1]])
    z = np.abs(unit_zscores(ratings))
    expected = [z[ratings.raters == rater].mean() for rater in range(3)]
    np.testing.assert_allclose(mean_abs_z(ratings), expected)


def test_workers_with_few_ratings_and_workers_all_alike_stay():
    rng = np.random.default_rng(1)
    table = np.hstack([crowd_with_a_spammer()[:, :-1], np.full((80, 1), np.nan)])
    table[0, -1] = 1 if table[0, 0] > 3 else 5
    ratings = Ratings.from_matrix(table)
    assert filter_workers(ratings, 2.0)[ratings.raters == 9].all()
    assert not filter_workers(ratings, 2.0, at_least=1)[ratings.raters == 9].any()
    alike = Ratings.from_matrix(np.repeat(rng.integers(1, 6, (9, 1)), 4, axis=1))
    assert filter_workers(alike, 0.5).all()


@pytest.mark.parametrize(
    "options", [{"threshold": 0}, {"by": "height"}, {"ddof": 3}, {"at_least": 0}]
)
def test_bad_options_are_refused(options):
    with pytest.raises(RatingsError):
        filter_workers(Ratings.from_matrix([[1.0, 2.0]]), **options)


def test_shapes_are_checked():
    ratings = Ratings.from_matrix([[1.0, 2.0]])
    with pytest.raises(RatingsError, match="gold has shape"):
        worker_statistics(ratings, gold=np.zeros(5))
    with pytest.raises(RatingsError, match="seconds has shape"):
        worker_statistics(ratings, seconds=np.zeros(5))


def test_squality_workers_by_name(concord_data):
    rows = squality_rows(concord_data, "overall")
    ratings = Ratings.from_rows(rows)
    table = table_of(rows)
    result = worker_statistics(ratings, level="interval")
    assert dict(zip(ratings.rater_names, result.count, strict=True)) == {
        name: sum(rater == name for _, rater, _ in rows) for name in ratings.rater_names
    }
    everyone = alpha(ratings, "interval").value
    for rater in range(4):
        left = alpha(Ratings.from_matrix(np.delete(table, rater, axis=1)), "interval").value
        assert result.alpha_change[rater] == pytest.approx(left - everyone, abs=1e-9)


def test_equal_values_are_counted_against_each_other_worker():
    """Three workers on a unit, two on another, and one alone on a third."""
    rows = [
        ("u", "a", 1),
        ("u", "b", 1),
        ("u", "c", 2),
        ("v", "a", 0),
        ("v", "b", 2),
        ("w", "d", 1),
    ]
    ratings = Ratings.from_rows(rows)
    np.testing.assert_allclose(equal_to_others(ratings), [0.25, 0.25, 0.0, np.nan])
