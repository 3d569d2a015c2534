"""Krippendorff's alpha against the package, and where it is undefined."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.reliability import Ratings, RatingsError, alpha, alpha_without_each
from concord.reliability.coincidences import count_coincidences
from concord.reliability.krippendorff import coincidence_alpha
from tests.concord.reliability.oracles import (
    CRITERIA,
    LEVELS,
    kpqa_filtered,
    package_alpha,
    squality_rows,
    table_of,
    tables,
    thumb_table,
)

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability: four observers, twelve units.
N = np.nan
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
).T


def agrees(table, level):
    """Ours equals the package's, and is undefined only for want of units or variation."""
    ratings = Ratings.from_matrix(table)
    value, result = coincidence_alpha(count_coincidences(ratings), level), alpha(ratings, level)
    counts = np.count_nonzero(~np.isnan(table), axis=1)
    assert result.n == counts[counts >= 2].sum()
    assert np.isnan(value) == (result.value is None)
    if result.value is None:
        assert result.reason
        assert np.count_nonzero(counts >= 2) < 2 or package_alpha(table, level) is None
    else:
        assert value == pytest.approx(package_alpha(table, level), abs=1e-9)


@pytest.mark.parametrize(
    ("level", "published"), list(zip(LEVELS, (0.743, 0.815, 0.849, 0.797), strict=True))
)
def test_the_published_example(level, published):
    result = alpha(Ratings.from_matrix(EXAMPLE), level)
    assert result.value == pytest.approx(published, abs=5e-4)
    assert result.n == 40


@given(tables(), st.sampled_from(LEVELS))
def test_alpha_equals_the_package(table, level):
    agrees(table, level)


@given(tables(st.floats(0, 100).map(lambda x: round(x, 2))), st.sampled_from(LEVELS))
def test_alpha_equals_the_package_on_values_between_the_points(table, level):
    agrees(table, level)


@given(tables(st.integers(-3, 3).map(float)), st.sampled_from(LEVELS[:3]))
def test_negative_values_are_values(table, level):
    agrees(table, level)


@pytest.mark.parametrize("level", LEVELS)
def test_a_scale_of_a_hundred_and_one_points(level):
    rng = np.random.default_rng(5)
    table = np.clip(np.round(rng.normal(60, 20, (200, 1)) + rng.normal(0, 15, (200, 6))), 0, 100)
    agrees(np.where(rng.random(table.shape) < 0.2, np.nan, table), level)


@pytest.mark.parametrize("level", LEVELS)
def test_every_rating_may_be_a_value_of_its_own(level):
    agrees(np.random.default_rng(6).random((60, 3)), level)


def test_memory_grows_with_the_ratings_not_with_the_square_of_the_values():
    table = np.random.default_rng(6).random((1500, 3))
    ratings = Ratings.from_matrix(table)
    alpha(ratings, "ratio")
    tracemalloc.start()
    for level in LEVELS:
        assert abs(alpha(ratings, level).value) < 0.05
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_a_small_spread_far_from_zero_is_exact(level):
    table = np.random.default_rng(7).integers(0, 5, (30, 4)).astype(float)
    near = alpha(Ratings.from_matrix(table), level).value
    far = alpha(Ratings.from_matrix(table + 2.0**40), level).value
    assert far == pytest.approx(near, abs=1e-12)


@given(tables(), st.sampled_from(LEVELS), st.randoms(use_true_random=False))
def test_the_order_of_raters_and_units_does_not_matter(table, level, random):
    rows, columns = list(range(table.shape[0])), list(range(table.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    first = alpha(Ratings.from_matrix(table), level).value
    second = alpha(Ratings.from_matrix(table[rows][:, columns]), level).value
    assert second == (None if first is None else pytest.approx(first, abs=1e-12))


@pytest.mark.parametrize("level", LEVELS)
def test_agreement_is_one_and_opposition_is_below_zero(level):
    same = np.repeat([[1.0], [2.0], [4.0]], 3, axis=1)
    assert alpha(Ratings.from_matrix(same), level).value == 1.0
    opposed = np.array([[1.0, 5.0], [5.0, 1.0], [1.0, 5.0]])
    assert alpha(Ratings.from_matrix(opposed), level).value < 0


@pytest.mark.parametrize(
    ("table", "level", "reason"),
    [
        ([[1, N], [N, 2]], "ordinal", "no unit has two"),
        ([[1, 2], [3, N]], "ordinal", "only one unit"),
        ([[3, 3], [3, 3], [1, N]], "nominal", "every rating is 3"),
        ([[1, -2], [2, 2]], "ratio", "smallest is -2"),
        (np.empty((0, 0)), "interval", "no unit has two"),
    ],
)
def test_undefined_says_why(table, level, reason):
    result = alpha(Ratings.from_matrix(np.array(table, dtype=float)), level)
    assert result.value is None
    assert reason in result.reason


def test_an_unknown_level_is_refused():
    with pytest.raises(RatingsError, match="choose one of nominal"):
        alpha(Ratings.from_matrix(EXAMPLE), "cardinal")


@given(tables(), st.sampled_from(LEVELS))
def test_leaving_a_rater_out_is_alpha_without_the_column(table, level):
    without = alpha_without_each(Ratings.from_matrix(table), level)
    for rater, result in enumerate(without):
        left = np.delete(table, rater, axis=1)
        expected = alpha(Ratings.from_matrix(left), level).value
        assert result == pytest.approx(
            np.nan if expected is None else expected, abs=1e-9, nan_ok=True
        )


def test_leaving_out_many_raters_goes_block_by_block(monkeypatch):
    table = np.random.default_rng(8).integers(1, 6, (60, 9)).astype(float)
    ratings = Ratings.from_matrix(table)
    whole = alpha_without_each(ratings)
    monkeypatch.setattr("concord.reliability.leave_one_out.BLOCK_CELLS", 100)
    np.testing.assert_allclose(alpha_without_each(ratings), whole, atol=1e-12)


@pytest.mark.parametrize("raters", ["expert", "turker"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_thumb_equals_the_package_with_and_without_the_filter(concord_data, raters, criterion):
    table = thumb_table(concord_data, raters, criterion).astype(float)
    for shown in (table, kpqa_filtered(table)):
        for level in LEVELS:
            agrees(shown, level)


@pytest.mark.parametrize("criterion", ["correctness", "selection", "overall"])
def test_squality_equals_the_package(concord_data, criterion):
    rows = squality_rows(concord_data, criterion)
    ratings = Ratings.from_rows(rows)
    assert ratings.n_raters == 4
    for level in LEVELS:
        expected = package_alpha(table_of(rows), level)
        assert alpha(ratings, level).value == pytest.approx(expected, abs=1e-9)
