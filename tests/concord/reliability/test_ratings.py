"""The shape of ratings."""

import numpy as np
import pytest

from concord.reliability import Ratings, RatingsError

ROWS = [("b", "x", 3), ("a", "x", 1), ("b", "y", 4.5)]


def test_rows_are_coded_in_order_of_appearance_and_names_kept():
    ratings = Ratings.from_rows(ROWS, {"a": "p", "b": "q"})
    assert ratings.units.tolist() == [0, 1, 0]
    assert ratings.raters.tolist() == [0, 0, 1]
    assert ratings.values.tolist() == [3, 1, 4.5]
    assert (ratings.unit_names, ratings.rater_names) == (("b", "a"), ("x", "y"))
    assert ratings.clusters.tolist() == [0, 1]


def test_a_matrix_and_its_ratings_are_the_same():
    table = np.array([[1, np.nan, 2], [np.nan, np.nan, np.nan], [3, 3, np.nan]])
    ratings = Ratings.from_matrix(table)
    assert (ratings.n_units, ratings.n_raters, len(ratings)) == (3, 3, 4)
    np.testing.assert_array_equal(ratings.matrix(), table)


def test_a_mask_keeps_codes_and_names():
    selected = Ratings.from_rows(ROWS).keep(np.array([False, True, False]))
    assert (selected.n_units, selected.n_raters, len(selected)) == (2, 2, 1)
    assert selected.unit_sizes.tolist() == [0, 1]


def test_no_ratings_are_ratings_too():
    assert (len(Ratings.from_rows([])), Ratings.from_rows([]).n_units) == (0, 0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (([0], [0], [np.nan]), "finite"),
        (([0, 1], [0], [1.0]), "shape"),
        (([-1], [0], [1.0]), "negative"),
        (([0.5], [0], [1.0]), "integer"),
        (([1], [0], [1.0], np.array([0])), "clusters|units"),
    ],
)
def test_what_makes_no_sense_is_refused(fields, message):
    with pytest.raises(RatingsError, match=message):
        Ratings(*(np.array(field) for field in fields))


def test_a_unit_without_a_cluster_is_refused():
    with pytest.raises(RatingsError, match="no cluster"):
        Ratings.from_rows(ROWS, {"a": "p"})


def test_two_ratings_of_a_unit_by_one_rater_fit_no_matrix():
    with pytest.raises(RatingsError, match="two ratings"):
        Ratings.from_rows([("a", "x", 1), ("a", "x", 2)]).matrix()
