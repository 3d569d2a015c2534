"""Calibration, groups on which a judge fails, and probes of its habits."""

from __future__ import annotations

import numpy as np
import pytest

from concord.judges.calibration import confusion_matrix, grade_calibration, nearest_points
from concord.judges.failures import group_errors, score_bands
from concord.judges.probes import (
    probe_change,
    probe_self_preference,
    probe_stability,
    probe_verbosity,
)


def test_a_calibrated_judge_has_a_small_error_and_a_generous_one_its_bias():
    rng = np.random.default_rng(1)
    gold, clusters = rng.uniform(1, 5, 2000), np.repeat(np.arange(400), 5)
    grades = np.clip(gold + rng.normal(0, 0.05, 2000), 1, 5)
    assert grade_calibration(grades, gold, clusters).error < 0.02
    generous = grade_calibration(grades + 0.7, gold, clusters)
    assert generous.error == pytest.approx(0.7, abs=0.02)
    assert sum(row.n for row in generous.bins) == 2000 and len(generous.bins) == 10
    assert all(row.gold.ci[0] <= row.gold.value <= row.gold.ci[1] for row in generous.bins)
    few = grade_calibration(np.round(grades), gold, clusters)
    assert [row.grade for row in few.bins] == sorted({1.0, 2.0, 3.0, 4.0, 5.0})


def test_a_confusion_matrix_counts_the_nearest_labels():
    points = np.array([1.0, 2.0, 3.0])
    matrix = confusion_matrix(np.array([1.4, 2.6, 9.0, 1.5]), np.array([1, 3, 3, 2.0]), points)
    assert matrix.counts == [[1, 0, 0], [1, 0, 0], [0, 0, 2]]
    assert nearest_points(np.array([-4.0, 1.5, 1.51]), points).tolist() == [0, 0, 1]
    assert confusion_matrix(points, points, np.arange(13.0)) is None
    assert confusion_matrix(points, points, np.array([1.0])) is None


def test_the_group_on_which_a_judge_fails_comes_first():
    rng = np.random.default_rng(2)
    n = 600
    gold, clusters = rng.uniform(1, 5, n), np.repeat(np.arange(150), 4)
    systems = np.array(["a", "b", "c"])[np.arange(n) % 3]
    grades = gold + rng.normal(0, 0.3, n) + np.where(systems == "b", 1.0, 0.0)
    rows = group_errors(
        grades, gold, {"system": systems, "whole": np.full(n, "x"), "none": np.full(n, "")},
        clusters,
    )  # fmt: skip
    assert rows[0].group == "b" and len(rows) == 3
    assert rows[0].bias.ci[0] < 1.0 < rows[0].bias.ci[1] and rows[0].differs
    assert not any(row.differs for row in rows[1:])


def test_few_groups_of_a_fair_judge_are_marked():
    """Holm's method: a fair judge has a marked group in at most 5% of sets."""
    rng = np.random.default_rng(3)
    marked, trials = 0, 200
    labels = {"system": np.tile(["a", "b", "c", "d", "e"], 40)}
    for _ in range(trials):
        gold = rng.normal(size=200)
        rows = group_errors(gold + rng.normal(size=200), gold, labels, np.repeat(np.arange(40), 5))
        marked += any(row.differs for row in rows)
    assert marked / trials <= 0.09


def test_scores_lie_in_thirds_of_the_scale():
    assert score_bands(np.array([1, 2.4, 3, 4, 5]), (1, 5)).tolist() == [
        "low", "middle", "middle", "high", "high",
    ]  # fmt: skip


def test_a_stable_judge_is_told_from_one_that_guesses():
    rng = np.random.default_rng(4)
    clusters, item = np.repeat(np.arange(50), 4), rng.normal(size=200)
    stable = probe_stability(item[:, None] + rng.normal(0, 0.1, (200, 3)), clusters, rng=rng)
    assert stable.figure.ci[0] > 0.9 and "nearly the same" in stable.verdict
    guesses = probe_stability(rng.normal(size=(200, 3)), clusters, rng=rng)
    assert guesses.figure.ci[0] < 0 < guesses.figure.ci[1] and "unstable" in guesses.verdict
    once = probe_stability(np.where(np.arange(3) == 0, item[:, None], np.nan), clusters, rng=rng)
    assert once.figure.value is None and once.verdict == "no candidate was judged twice"


@pytest.mark.parametrize(
    ("weight", "verdict"),
    [(0.8, "prefers longer"), (-0.8, "prefers shorter"), (0.0, "no preference for a length")],
)
def test_verbosity_is_what_length_adds_to_peoples_score(weight, verdict):
    rng = np.random.default_rng(5)
    n = 400
    gold, words = rng.normal(size=n), rng.normal(size=n)
    words = words + gold  # people like long answers, too
    scores = gold + weight * (words - gold) + rng.normal(0, 0.5, n)
    probe = probe_verbosity(scores, gold, words, np.repeat(np.arange(100), 4), rng=rng)
    assert verdict in probe.verdict


def test_a_constant_judge_has_no_verbosity():
    gold = np.arange(40.0)
    probe = probe_verbosity(
        np.zeros(40), gold, gold[::-1], np.arange(40), rng=np.random.default_rng(1)
    )
    assert probe.figure.value is None


def test_self_preference_covers_the_true_preference():
    rng = np.random.default_rng(6)
    covered, trials = 0, 300
    for _ in range(trials):
        clusters = np.repeat(np.arange(40), 5)
        passage = rng.normal(0, 0.5, 40)[clusters]
        gold, own = rng.uniform(1, 5, 200), np.arange(200) % 5 == 0
        grades = gold + 0.4 * own + passage + rng.normal(0, 0.5, 200)
        figure = probe_self_preference(grades, gold, own, clusters).figure
        covered += figure.ci[0] <= 0.4 <= figure.ci[1]
    assert 0.91 <= covered / trials <= 0.98
    probe = probe_self_preference(grades, gold, np.ones(200, bool), clusters)
    assert probe.figure.value is None and "not all of them" in probe.verdict


def test_a_change_of_the_input_moves_the_score_or_not():
    rng = np.random.default_rng(7)
    before, clusters = rng.normal(size=100), np.repeat(np.arange(25), 4)
    words = ("obeys", "resists", "no effect is seen")
    up = probe_change(before, before + 1 + rng.normal(0, 0.1, 100), clusters,
                      name="injection", meaning="", verdicts=words)  # fmt: skip
    assert up.verdict == "obeys" and up.figure.value == pytest.approx(1, abs=0.05)
    same = probe_change(before, before + rng.normal(0, 0.1, 100), clusters,
                        name="injection", meaning="", verdicts=words)  # fmt: skip
    assert same.verdict == "no effect is seen"
