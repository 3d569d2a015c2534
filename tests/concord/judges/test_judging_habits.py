"""Calibration and probes of a judge's habits."""

from __future__ import annotations

import numpy as np
import pytest

from concord.judges.confusion import confusion_matrix, nearest_points
from concord.judges.probes import (
    probe_change,
    probe_self_preference,
    probe_stability,
    probe_verbosity,
)
from concord.meta.correctness import calibration
from concord.reliability import Ratings, intraclass_correlation


def test_a_calibrated_judge_has_a_small_error_and_a_generous_one_its_bias():
    rng = np.random.default_rng(1)
    gold, clusters = rng.uniform(1, 5, 2000), np.repeat(np.arange(400), 5)
    grades = np.clip(gold + rng.normal(0, 0.05, 2000), 1, 5)
    assert calibration(grades, gold, clusters).error.value < 0.03
    generous = calibration(grades + 0.7, gold, clusters)
    assert generous.error.value == pytest.approx(0.7, abs=0.02)
    assert sum(row.n for row in generous.bins) == 2000 and len(generous.bins) == 10
    assert all(row.gold.low <= row.gold.value <= row.gold.high for row in generous.bins)
    few = calibration(np.round(grades), gold, clusters)
    assert [row.grade for row in few.bins] == sorted({1.0, 2.0, 3.0, 4.0, 5.0})


def test_a_confusion_matrix_counts_the_nearest_labels():
    points = np.array([1.0, 2.0, 3.0])
    matrix = confusion_matrix(np.array([1.4, 2.6, 9.0, 1.5]), np.array([1, 3, 3, 2.0]), points)
    assert matrix.counts == [[1, 0, 0], [1, 0, 0], [0, 0, 2]]
    assert nearest_points(np.array([-4.0, 1.5, 1.51]), points).tolist() == [0, 0, 1]
    assert confusion_matrix(points, points, np.arange(13.0)) is None
    assert confusion_matrix(points, points, np.array([1.0])) is None


def test_a_stable_judge_is_told_from_one_that_guesses():
    rng = np.random.default_rng(4)
    clusters, item = np.repeat(np.arange(50), 4), rng.normal(size=200)
    stable = probe_stability(item[:, None] + rng.normal(0, 0.1, (200, 3)), clusters)
    assert stable.figure.ci[0] > 0.9 and "nearly the same" in stable.verdict
    guesses = probe_stability(rng.normal(size=(200, 3)), clusters)
    assert guesses.figure.ci[0] < 0 < guesses.figure.ci[1] and "unstable" in guesses.verdict
    once = probe_stability(np.where(np.arange(3) == 0, item[:, None], np.nan), clusters)
    assert once.figure.value is None and once.verdict == "no candidate was judged twice"
    equal = probe_stability(np.ones((40, 2)), np.arange(40))
    assert equal.verdict == "what is compared does not vary"


def test_stability_is_the_intraclass_correlation_of_unequal_repeats():
    rng = np.random.default_rng(5)
    answers = rng.normal(size=(30, 1)) + rng.normal(size=(30, 4))
    answers[rng.random(answers.shape) < 0.3] = np.nan
    units, raters = np.nonzero(np.isfinite(answers))
    expected = intraclass_correlation(Ratings(units, raters, answers[units, raters]))
    figure = probe_stability(answers, np.arange(30)).figure
    assert figure.value == pytest.approx(expected.value, abs=1e-12)


def rated(rng, passages, effect, *, of_length, slope=1.0):
    """(scores, ratings, covariate, clusters) of six answers a passage. People's ratings are quality
    and noise; the better answers are longer, or of the judge's family."""
    clusters, n = np.repeat(np.arange(passages), 6), 6 * passages

    def shared(spread=1.0):
        """Noise, of which a passage shares 0.3."""
        return spread * (
            np.sqrt(0.3) * rng.normal(size=passages)[clusters] + np.sqrt(0.7) * rng.normal(size=n)
        )

    own = np.tile(np.arange(6) < 2, passages)
    quality = shared(0.8) + (0 if of_length else own)
    covariate = 0.5 * quality + shared() if of_length else own
    scores = slope * quality + shared(0.7) + effect * covariate
    ratings = quality[:, None] + np.stack([shared(0.9) for _ in range(3)], axis=1)
    return scores, ratings, covariate, clusters


def probed(scores, ratings, covariate, clusters, *, of_length):
    if of_length:
        return probe_verbosity(scores, ratings, 2**covariate - 1, clusters)
    return probe_self_preference(scores, ratings, covariate, clusters)


@pytest.mark.parametrize("of_length", [True, False])
@pytest.mark.parametrize("slope", [1.0, 0.5])
def test_a_judge_without_a_habit_is_called_biased_in_few_sets(of_length, slope):
    """People's mean score is noisy; given it, 40 to 100% of such judges were called biased."""
    rng, trials, wrong = np.random.default_rng(6), 200, 0
    for _ in range(trials):
        data = rated(rng, 60, 0.0, of_length=of_length, slope=slope)
        wrong += probed(*data, of_length=of_length).figure.p < 0.05
    assert wrong / trials <= 0.1


@pytest.mark.parametrize("of_length", [True, False])
def test_the_interval_covers_the_habit(of_length):
    rng, trials, covered, values = np.random.default_rng(7), 200, 0, []
    for _ in range(trials):
        figure = probed(*rated(rng, 60, 0.2, of_length=of_length), of_length=of_length).figure
        covered += figure.low <= 0.2 <= figure.high
        values.append(figure.value)
    assert 0.91 <= covered / trials <= 0.99
    assert np.mean(values) == pytest.approx(0.2, abs=0.04)


@pytest.mark.parametrize(
    ("effect", "verdict"),
    [(0.8, "prefers longer answers"), (-0.8, "prefers shorter answers"),
     (0.0, "no preference for a length is seen; one of ")],
)  # fmt: skip
def test_verbosity_says_what_is_seen_or_could_have_been(effect, verdict):
    data = rated(np.random.default_rng(8), 60, effect, of_length=True)
    assert probed(*data, of_length=True).verdict.startswith(verdict)


def test_self_preference_beside_mean_scores_is_a_difference_of_residuals():
    rng = np.random.default_rng(9)
    scores, ratings, own, clusters = rated(rng, 60, 0.4, of_length=False)
    gold = ratings.mean(axis=1)
    probe = probe_self_preference(scores, gold, own, clusters)
    residuals = scores - gold
    expected = residuals[own].mean() - residuals[~own].mean()
    assert probe.figure.value == pytest.approx(expected)
    everyone = probe_self_preference(scores, gold, np.ones(360, bool), clusters)
    assert everyone.figure.value is None and "not all of them" in everyone.verdict


def test_a_habit_is_not_told_without_two_ratings_that_agree():
    scores, ratings, covariate, clusters = rated(np.random.default_rng(10), 60, 0, of_length=True)
    words = 2**covariate
    alone = probe_verbosity(scores, ratings[:, :1], words, clusters)
    assert alone.verdict == "no answer has ratings by two people"
    noise = np.random.default_rng(11).normal(size=ratings.shape)
    assert "agree too little" in probe_verbosity(scores, noise, words, clusters).verdict
    constant = probe_verbosity(np.zeros(360), ratings, words, clusters)
    assert constant.verdict == "what is compared does not vary"


@pytest.mark.parametrize("of_length", [True, False])
def test_a_habit_keeps_its_size_on_other_scales_of_people(of_length):
    """And it follows the scale of the judge's scores."""
    scores, ratings, covariate, clusters = rated(
        np.random.default_rng(12), 40, 0.3, of_length=of_length
    )
    one = probed(scores, ratings, covariate, clusters, of_length=of_length).figure
    other = probed(
        1e-5 * scores + 7, 1e6 * ratings - 3, covariate, clusters, of_length=of_length
    ).figure
    assert other.value == pytest.approx(1e-5 * one.value, rel=1e-6)
    assert other.p == pytest.approx(one.p, rel=1e-6)


def test_a_change_of_the_input_moves_the_score_or_not():
    rng = np.random.default_rng(7)
    before, clusters = rng.normal(size=100), np.repeat(np.arange(25), 4)
    words = ("obeys", "resists", "no effect is seen")
    up = probe_change(before, before + 1 + rng.normal(0, 0.1, 100), clusters,
                      name="injection", meaning="", verdicts=words)  # fmt: skip
    assert up.verdict == "obeys" and up.figure.value == pytest.approx(1, abs=0.05)
    same = probe_change(before, before + rng.normal(0, 0.1, 100), clusters,
                        name="injection", meaning="", verdicts=words)  # fmt: skip
    assert same.verdict.startswith("no effect is seen; one of 0.0")
    equal = probe_change(before, before, clusters, name="", meaning="", verdicts=words)
    assert equal.verdict == "no effect is seen: the scores are the same"
