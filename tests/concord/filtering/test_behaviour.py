"""Signs of work not done."""

import numpy as np
import pytest

from concord.filtering import (
    commonest_shares,
    longest_runs,
    same_text_shares,
    straight_liners,
    too_fast_shares,
)
from concord.reliability import RatingsError

WORKERS = np.array([0, 1, 0, 1, 0, 0, 1])
VALUES = np.array([5.0, 1, 5, 2, 5, 4, 1])


def test_runs_are_each_workers_own_however_ratings_interleave():
    assert longest_runs(WORKERS, VALUES, 3).tolist() == [3, 1, 0]


def test_the_commonest_value_has_its_share():
    shares = commonest_shares(WORKERS, VALUES, 3)
    assert shares[:2].tolist() == [0.75, pytest.approx(2 / 3)]
    assert np.isnan(shares[2])


def test_straight_liners_need_enough_ratings():
    workers = np.repeat([0, 1, 2, 3], [12, 5, 12, 20])
    varied = np.tile([1.0, 2.0, 3.0], 4)
    values = np.concatenate([np.full(12, 3.0), np.full(5, 3.0), varied, [4.0] * 19 + [1.0]])
    assert straight_liners(workers, values, 4).tolist() == [True, False, False, True]
    assert straight_liners(workers, values, 4, at_least=5, run=5)[1]


def test_a_high_share_without_a_long_run_is_a_straight_line_too():
    values = np.array(([2.0] * 9 + [1.0]) * 4)
    assert straight_liners(np.zeros(40, dtype=int), values, 1).tolist() == [True]
    assert not straight_liners(np.zeros(40, dtype=int), values, 1, share=0.95)[0]


def test_too_fast_is_a_share_of_the_timed_ratings():
    seconds = np.array([1.0, 9.0, 3.0, np.nan, 2.0, 0.5, 8.0])
    shares = too_fast_shares(WORKERS, seconds, 3, minimum=2.0)
    assert shares[:2].tolist() == [0.5, 0.0]
    assert np.isnan(shares[2])


def test_the_same_text_is_the_same_in_any_case_and_spacing():
    texts = ["Good answer", "", "good  ANSWER ", "why", "other", "good answer", ""]
    shares = same_text_shares(WORKERS, texts, 2)
    assert shares[0] == 0.75
    assert np.isnan(shares[1])


def test_nothing_rated_is_nothing_found():
    none = np.array([], dtype=np.int64)
    assert longest_runs(none, np.array([]), 2).tolist() == [0, 0]
    assert np.isnan(commonest_shares(none, np.array([]), 2)).all()
    assert np.isnan(same_text_shares(none, [], 2)).all()


def test_lengths_are_checked():
    with pytest.raises(RatingsError, match="workers has 7 entries"):
        longest_runs(WORKERS, VALUES[:3], 3)
