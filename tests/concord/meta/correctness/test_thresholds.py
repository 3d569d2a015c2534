"""Thresholds: the best there is, and never tuned on what is reported."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.meta import correctness
from concord.meta.correctness import verdicts
from concord.meta.inference import ScoredSample

rows = st.lists(
    st.tuples(st.integers(0, 8), st.booleans(), st.integers(0, 2)), min_size=1, max_size=40
)


def between(scores: np.ndarray) -> list[float]:
    values = np.unique(scores)
    return [np.inf, *(values[1:] + values[:-1])[::-1] / 2, -np.inf]


@given(rows.filter(lambda result: any(right for _, right, _ in result)))
def test_no_threshold_has_a_higher_f1(answers: list[tuple[int, bool, int]]) -> None:
    scores = np.array([score for score, _, _ in answers], dtype=float)
    right = np.array([right for _, right, _ in answers])

    def f1(threshold: float) -> float:
        called = correctness.metric_verdicts(scores, threshold)
        return float(verdicts.f1(correctness.count_confusion(called, right).counts))

    best = correctness.tune_by_f1(scores, right)
    assert f1(best) == pytest.approx(max(f1(one) for one in between(scores)), abs=1e-12)
    assert best in between(scores)


@given(rows)
def test_no_threshold_errs_less_about_systems(answers: list[tuple[int, bool, int]]) -> None:
    scores = np.array([score for score, _, _ in answers], dtype=float)
    right = np.array([right for _, right, _ in answers])
    systems = np.array([system for _, _, system in answers])

    def error(threshold: float) -> float:
        called = correctness.metric_verdicts(scores, threshold)
        return float(
            sum(
                (called[systems == one].mean() - right[systems == one].mean()) ** 2
                for one in np.unique(systems)
            )
        )

    best = correctness.tune_by_system_error(scores, right, systems)
    assert error(best) == pytest.approx(min(error(one) for one in between(scores)), abs=1e-9)


def test_what_cannot_be_tuned_says_why() -> None:
    scores, wrong = np.arange(3.0), np.zeros(3, bool)
    with pytest.raises(ValueError, match="no answer correct"):
        correctness.tune_by_f1(scores, wrong)
    with pytest.raises(ValueError, match="no systems"):
        correctness.tune_by_system_error(scores, wrong, np.full(3, -1))
    with pytest.raises(ValueError, match="no answer to tune on"):
        correctness.tune_by_system_error(scores[:0], wrong[:0], np.zeros(0, int))
    with pytest.raises(ValueError, match="no answer to tune on"):
        correctness.tune_by_f1(scores[:0], wrong[:0])


def test_neighbouring_floats_are_kept_apart() -> None:
    low = 1.0
    high = np.nextafter(low, 2)
    threshold = correctness.tune_by_f1(np.array([low, high]), np.array([False, True]))
    assert correctness.metric_verdicts(np.array([low, high]), threshold).tolist() == [False, True]


def test_a_split_tunes_and_shares_no_passage_with_what_is_reported() -> None:
    splits = np.array(["dev", "dev", "dev", "test", "test"])
    clusters = np.array([1, 2, 3, 3, 4])
    result = correctness.divide_by_split(splits, clusters, "dev")
    assert result.tuning.tolist() == [True, True, False, False, False]
    assert result.reported.tolist() == [False, False, False, True, True]
    assert result.left_out == 1
    for tuning, reported, sentence in (
        ("dev", "dev", "cannot both"),
        ("moon", None, "'moon' has no answers"),
        ("dev", "moon", "'moon' has no answers"),
    ):
        with pytest.raises(ValueError, match=sentence):
            correctness.divide_by_split(splits, clusters, tuning, reported)
    with pytest.raises(ValueError, match="also reported"):
        correctness.divide_by_split(splits, np.zeros(5), "dev")


def test_questions_with_one_verdict_only_do_not_tune_where_they_are_left_out() -> None:
    """AVA (section 6.4) removed them before it tuned the threshold."""
    # Items 0 and 1 have both verdicts, item 2 is all wrong, item 3 all correct; one system ranks
    # two candidates to each. Item 4 is reported.
    items = np.repeat(np.arange(5), 2)
    right = np.array([1, 0, 0, 1, 0, 0, 1, 1, 1, 0], dtype=bool)
    scores = np.array([0.9, 0.1, 0.4, 0.3, 0.8, 0.7, 0.2, 0.2, 0.5, 0.5])
    sample = ScoredSample.from_scores(
        {"m": scores}, right.astype(float), items=items, systems=["a"] * 10
    )
    division = correctness.Division(items < 4, items == 4)
    mixed = division.tuned_on_mixed(sample.items, right)
    assert np.flatnonzero(mixed.tuning).tolist() == [0, 1, 2, 3]
    assert (mixed.one_sided, division.one_sided) == (4, 0)
    assert mixed.reported.tolist() == division.reported.tolist()
    # Of items 0 and 1 one first answer of two is correct: between 0.4 and 0.9. Over all four items
    # half of 0.9, 0.8, 0.4 and 0.2 are correct.
    (of_mixed,) = correctness.tune_thresholds(sample, right, mixed.tuning, "p1")
    (of_all,) = correctness.tune_thresholds(sample, right, division.tuning, "p1")
    assert of_mixed.value == pytest.approx(0.65) and of_all.value == pytest.approx(0.6)


def test_a_question_is_judged_by_its_answers_of_the_tuning_part() -> None:
    items, right = np.zeros(3, np.int64), np.array([True, True, False])
    tuning = np.array([True, True, False])
    result = correctness.Division(tuning, ~tuning).tuned_on_mixed(items, right)
    assert not result.tuning.any() and result.one_sided == 2


def test_the_split_that_tunes_is_known_by_its_name() -> None:
    assert correctness.default_tuning_split(["Test", "Train", "Dev"]) == "Dev"
    assert correctness.default_tuning_split(["train", "test"]) == "train"
    assert correctness.default_tuning_split(["dev"]) is None
    assert correctness.default_tuning_split(["a", "b"]) is None


@given(st.lists(st.integers(0, 9), min_size=2, max_size=50), st.integers(0, 5))
def test_passages_are_divided_whole_and_the_same_for_the_same_seed(
    passages: list[int], seed: int
) -> None:
    clusters = np.array(passages)
    if len(set(passages)) < 2:
        with pytest.raises(ValueError, match="one passage"):
            correctness.divide_by_passage(clusters, np.random.default_rng(seed))
        return
    result = correctness.divide_by_passage(clusters, np.random.default_rng(seed))
    again = correctness.divide_by_passage(clusters, np.random.default_rng(seed))
    assert result.tuning.tolist() == again.tuning.tolist()
    assert (result.tuning ^ result.reported).all() and result.tuning.any() and result.reported.any()
    assert not set(clusters[result.tuning]) & set(clusters[result.reported])
