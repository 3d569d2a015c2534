"""Ledgers: written, read, replayed, undone."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.filtering import (
    DropRating,
    ExcludeWorker,
    Ledger,
    LedgerError,
    MinimumSeconds,
    WorkerFilter,
    ZScoreFilter,
    filter_by_zscore,
    filter_workers,
    replay,
)
from concord.reliability import Ratings, alpha

positive = st.floats(0.01, 50)
steps = st.one_of(
    st.builds(ZScoreFilter, positive, st.integers(1, 9), st.integers(0, 1), st.booleans()),
    st.builds(WorkerFilter, positive, st.sampled_from(["among-workers", "mean-abs-z"])),
    st.builds(ExcludeWorker, st.text(), st.text()),
    st.builds(MinimumSeconds, positive),
    st.builds(DropRating, st.text(), st.text(), st.text()),
)


def made_up():
    rng = np.random.default_rng(2)
    table = np.clip(rng.integers(1, 6, (30, 1)) + rng.integers(-1, 2, (30, 6)), 1, 5)
    return Ratings.from_rows(
        (f"u{unit}", f"w{rater}", table[unit, rater]) for unit in range(30) for rater in range(6)
    )


@given(st.lists(steps, max_size=6))
def test_a_ledger_comes_back_from_json_as_it_went(given_steps):
    ledger = Ledger(tuple(given_steps))
    assert Ledger.from_json(json.loads(json.dumps(ledger.to_json()))) == ledger


def test_a_stored_ledger_is_read():
    stored = """[
        {"kind": "zscore", "threshold": 1, "at_most": 5, "ddof": 0, "one_sided": false},
        {"kind": "worker", "threshold": 2.0, "by": "mean-abs-z", "ddof": 1, "at_least": 2},
        {"kind": "exclude-worker", "worker": "w\\n0", "reason": ""},
        {"kind": "minimum-seconds", "seconds": 3},
        {"kind": "drop-rating", "unit": "u3", "worker": "w2", "reason": "asked for"}
    ]"""
    assert Ledger.from_json(json.loads(stored)).steps == (
        ZScoreFilter(1.0),
        WorkerFilter(2.0, "mean-abs-z", 1),
        ExcludeWorker("w\n0"),
        MinimumSeconds(3.0),
        DropRating("u3", "w2", "asked for"),
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "list of steps"),
        ([1], "step 1 must be an object"),
        ([{"kind": "zscore"}, {"kind": "magic"}], "step 2: unknown kind 'magic'"),
        ([{"kind": ["zscore"]}], "step 1: unknown kind"),
        ([{"kind": "zscore", "treshold": 1}], "treshold: is unknown; the fields are thresh"),
        ([{"kind": "zscore", "threshold": True}], "threshold must be a number, not True"),
        ([{"kind": "zscore", "at_most": 2.5}], "at_most must be a whole number, not 2.5"),
        ([{"kind": "zscore", "threshold": -1}], "above 0"),
        ([{"kind": "worker", "by": "height"}], "by must be one of among-workers"),
        ([{"kind": "exclude-worker"}], "exclude-worker: worker: is missing"),
        ([{"kind": "minimum-seconds", "seconds": float("inf")}], "a number, not inf"),
    ],
)
def test_what_is_no_ledger_is_refused_by_step(data, message):
    with pytest.raises(LedgerError, match=message):
        Ledger.from_json(data)


def test_each_step_works_on_what_the_one_before_kept():
    ratings = made_up()
    seconds = np.tile([9.0, 1.0, 9.0, 9.0, np.nan, 9.0], 30)
    ledger = Ledger(
        (
            MinimumSeconds(2.0),
            ExcludeWorker("w0", "rates for two"),
            DropRating("u3", "w2"),
            ZScoreFilter(1.2),
            WorkerFilter(0.8),
        )
    )
    result = replay(ledger, ratings, seconds=seconds)
    mask = (ratings.raters != 1) & (ratings.raters != 0)
    assert [outcome.removed for outcome in result.outcomes[:2]] == [30, 30]
    mask &= ~((ratings.units == 3) & (ratings.raters == 2))
    for rule in (lambda r: filter_by_zscore(r, 1.2), lambda r: filter_workers(r, 0.8)):
        mask[np.flatnonzero(mask)[~rule(ratings.keep(mask))]] = False
    np.testing.assert_array_equal(result.kept, mask)
    assert sum(outcome.removed for outcome in result.outcomes) == np.count_nonzero(~mask)
    assert result.outcomes[-1].raters_kept == pytest.approx(mask.sum() / 30)
    assert result.before == alpha(ratings)
    assert result.after == result.outcomes[-1].after == alpha(ratings.keep(mask))
    for first, second in zip(result.outcomes, result.outcomes[1:], strict=False):
        assert first.after == second.before


def test_undoing_a_step_gives_what_would_have_been_without_it():
    ratings = made_up()
    ledger = Ledger((ExcludeWorker("w1"),)).then(ZScoreFilter(1.0), DropRating("u0", "w5"))
    undone = ledger.without(0)
    assert undone == Ledger((ZScoreFilter(1.0), DropRating("u0", "w5")))
    expected = filter_by_zscore(ratings)
    expected[(ratings.units == 0) & (ratings.raters == 5)] = False
    np.testing.assert_array_equal(replay(undone, ratings).kept, expected)
    with pytest.raises(LedgerError, match="no step 4"):
        ledger.without(3)


def test_an_empty_ledger_keeps_everything():
    ratings = made_up()
    result = replay(Ledger(), ratings)
    assert result.kept.all() and result.outcomes == ()
    assert result.before == result.after == alpha(ratings)


def test_a_step_that_finds_nothing_says_so():
    result = replay(
        Ledger((ExcludeWorker("nobody"), DropRating("u1", "x"), ZScoreFilter(9.0))), made_up()
    )
    assert result.kept.all()
    assert [bool(outcome.notice) for outcome in result.outcomes] == [True, True, True]
    assert "at most 2.236" in result.outcomes[2].notice


def test_a_minimum_of_seconds_needs_times():
    with pytest.raises(LedgerError, match="needs the times"):
        replay(Ledger((MinimumSeconds(2.0),)), made_up())
    with pytest.raises(LedgerError, match="seconds has shape"):
        replay(Ledger(), made_up(), seconds=np.zeros(3))


def test_units_left_without_ratings_still_count_in_the_mean_kept():
    ratings = Ratings.from_rows([("a", "x", 1), ("b", "y", 2), ("b", "z", 2)])
    (outcome,) = replay(Ledger((ExcludeWorker("x"),)), ratings).outcomes
    assert outcome.raters_kept == 1.0
