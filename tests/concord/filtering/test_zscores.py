"""KPQA's z-score filter, against plain numpy unit by unit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.filtering import filter_by_zscore, max_zscore, threshold_notice, unit_zscores
from concord.reliability import Ratings, RatingsError, alpha
from tests.concord.reliability.oracles import (
    CRITERIA,
    kpqa_filtered,
    package_alpha,
    tables,
    thumb_table,
)


def kept_values(unit, **options):
    ratings = Ratings.from_matrix([unit])
    return ratings.values[filter_by_zscore(ratings, **options)].tolist()


@given(tables(), st.sampled_from([0.5, 0.9, 1.0]), st.integers(1, 5), st.integers(0, 1))
def test_the_filter_equals_plain_numpy(table, threshold, at_most, ddof):
    ratings = Ratings.from_matrix(table)
    largest = int(ratings.unit_sizes.max())
    if largest and threshold >= round(float(max_zscore(largest, ddof)), 12):
        with pytest.raises(RatingsError, match=r"no unit has two|can never"):
            filter_by_zscore(ratings, threshold, at_most, ddof)
        assert np.array_equal(
            kpqa_filtered(table, threshold, at_most, ddof), table, equal_nan=True
        ), "it would remove nothing"
        return
    mask = filter_by_zscore(ratings, threshold, at_most, ddof)
    expected = kpqa_filtered(table, threshold, at_most, ddof)
    np.testing.assert_array_equal(ratings.keep(mask).matrix(), expected)


def test_at_most_five_go_largest_first():
    unit = [3] * 14 + [1, 5, 1, 5, 2, 4]
    assert kept_values(unit) == [3] * 14 + [4]
    assert kept_values(unit, at_most=1) == [3] * 14 + [5, 1, 5, 2, 4]


def test_equal_distances_go_in_stored_order_of_whole_ratings():
    ratings = Ratings(
        np.array([1, 0, 1, 0, 1, 0, 0, 0]),
        np.arange(8),
        np.array([1.0, 5.0, 3.0, 1.0, 5.0, 3.0, 3.0, 3.0]),
    )
    assert np.flatnonzero(~filter_by_zscore(ratings, at_most=1)).tolist() == [0, 1]


def test_a_z_of_exactly_one_stays_whatever_rounding_says():
    assert kept_values([0.1, 0.3, 0.1, 0.3]) == [0.1, 0.3, 0.1, 0.3]


def test_equal_ratings_have_no_z_and_stay():
    assert kept_values([0.1] * 7) == [0.1] * 7
    assert np.isnan(unit_zscores(Ratings.from_matrix([[0.1] * 7, [np.nan] * 6 + [2]]))).all()


def test_one_sided_takes_only_what_is_above():
    assert kept_values([1, 3, 3, 3, 5]) == [3, 3, 3]
    assert kept_values([1, 3, 3, 3, 5], one_sided=True) == [1, 3, 3, 3]


@pytest.mark.parametrize(
    ("size", "ddof", "bound"),
    [
        (10, 1, 2.85),
        (5, 1, 1.79),
        (10, 0, 3.0),
        (5, 0, 2.0),
        (1, 0, 0.0),
        (1, 1, 0.0),
    ],
)
def test_the_bound_of_z_is_reached_by_one_against_all(size, ddof, bound):
    assert max_zscore(size, ddof) == pytest.approx(bound, abs=0.005)
    if size > 1:
        z = unit_zscores(Ratings.from_matrix([[1.0] * (size - 1) + [2.0]]), ddof)
        assert z.max() == pytest.approx(float(max_zscore(size, ddof)))


def test_a_threshold_that_can_never_fire_is_refused_with_its_bound():
    five = Ratings.from_matrix([[1.0, 2.0, 3.0, 4.0, 5.0]])
    with pytest.raises(RatingsError, match=r"5 ratings is at most 2, so the threshold 2 can never"):
        filter_by_zscore(five, 2.0)
    with pytest.raises(RatingsError, match=r"at most 1\.789"):
        filter_by_zscore(five, 1.8, ddof=1)
    assert filter_by_zscore(five, 1.9).all()


def test_where_some_units_are_too_small_the_notice_counts_them():
    ragged = Ratings.from_matrix([[1, 2, np.nan], [1, 2, 5], [2, np.nan, np.nan]])
    filter_by_zscore(ragged, 1.0)
    assert "1 of 2 units" in threshold_notice(ragged, 1.0)
    assert threshold_notice(ragged, 0.9) is None


@pytest.mark.parametrize(
    "options", [{"threshold": 0}, {"threshold": np.nan}, {"at_most": 0}, {"ddof": 2}]
)
def test_bad_options_are_refused(options):
    with pytest.raises(RatingsError):
        filter_by_zscore(Ratings.from_matrix([[1.0, 2.0, 5.0]]), **options)


def test_no_ratings_are_kept_of_none():
    assert filter_by_zscore(Ratings.from_rows([])).shape == (0,)


def test_agreement_is_made_out_of_uniform_noise():
    table = np.random.default_rng(0).integers(1, 6, (1000, 10)).astype(float)
    ratings = Ratings.from_matrix(table)
    kept_ratings = ratings.keep(filter_by_zscore(ratings))
    assert alpha(ratings).value == pytest.approx(0.0, abs=0.02)
    assert alpha(kept_ratings).value == pytest.approx(0.36, abs=0.03)
    assert len(kept_ratings) / 1000 == pytest.approx(6.1, abs=0.1)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_thumb_before_and_after_the_filter(concord_data, criterion):
    for raters, per_unit in (("expert", 3), ("turker", 5)):
        table = thumb_table(concord_data, raters, criterion).astype(float)
        ratings = Ratings.from_matrix(table)
        kept_ratings = ratings.keep(filter_by_zscore(ratings, 1.0, 5))
        expected = kpqa_filtered(table)
        np.testing.assert_array_equal(kept_ratings.matrix(), expected)
        assert len(kept_ratings) == np.count_nonzero(~np.isnan(expected)) < per_unit * len(table)
        for level in ("ordinal", "interval"):
            expected_alpha = package_alpha(expected, level)
            assert alpha(kept_ratings, level).value == pytest.approx(expected_alpha, abs=1e-9)


def test_thumb_coherence_reaches_the_figures_known_of_it(concord_data):
    crowd = Ratings.from_matrix(thumb_table(concord_data, "turker", "coherence"))
    assert alpha(crowd).value == pytest.approx(0.499, abs=0.005)
    assert alpha(crowd.keep(filter_by_zscore(crowd))).value == pytest.approx(0.924, abs=0.005)
    experts = Ratings.from_matrix(thumb_table(concord_data, "expert", "coherence"))
    assert alpha(experts.keep(filter_by_zscore(experts))).value == 1.0
