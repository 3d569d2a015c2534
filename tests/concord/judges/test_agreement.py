"""Agreement of judges with people, and rates corrected for a judge's errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from concord.judges import HumanLabels, corrected_rate, judge_agreement
from concord.judges.agreement import kappa_intervals
from concord.reliability import RaterPairs, Ratings


def ratings_of(first, second):
    n = len(first)
    return Ratings(
        np.tile(np.arange(n), 2),
        np.repeat([0, 1], n),
        np.concatenate([first, second]).astype(float),
    )


@pytest.mark.parametrize("weights", ["nominal", "linear", "quadratic"])
def test_kappa_of_a_pair_is_scikit_learns(weights):
    rng = np.random.default_rng(1)
    first = rng.integers(1, 6, 200)
    second = np.clip(first + rng.integers(-1, 2, 200), 1, 5)
    expected = cohen_kappa_score(first, second, weights=None if weights == "nominal" else weights)
    kappas = RaterPairs.of(ratings_of(first, second)).kappas(weights)
    np.testing.assert_allclose(kappas, [expected], atol=1e-12)


def grades(rng, noise, n=300):
    truth = rng.normal(3, 1, n)
    return {
        name: {str(k): float(v) for k, v in enumerate(truth + rng.normal(0, noise, n))}
        for name in "abcd"
    }


def test_correlation_is_with_the_mean_of_people():
    people = grades(np.random.default_rng(2), 0.5)
    labels = HumanLabels.from_mapping(people, graded=True)
    result = judge_agreement(labels, labels.codes_of(people["d"]))
    mean = np.mean([list(of.values()) for of in people.values()], axis=0)
    expected = stats.pearsonr(list(people["d"].values()), mean).statistic
    assert result.pearson.value == pytest.approx(expected, abs=1e-12)


def test_a_judge_like_the_raters_is_human_like_and_a_guesser_is_not():
    rng = np.random.default_rng(3)
    truth = rng.normal(3, 1.5, 300)
    noise = (0.2, 0.4, 0.6, 0.9, 1.2, 0.5)
    people = {
        f"rater {k}": {str(i): round(v) for i, v in enumerate(truth + rng.normal(0, sd, 300))}
        for k, sd in enumerate(noise)
    }
    judge = people.pop("rater 5")
    labels = HumanLabels.from_mapping(people, graded=True)
    like_people = judge_agreement(labels, labels.codes_of(judge))
    assert abs(like_people.z.value) < 1
    assert like_people.verdict == "human-like"
    guesses = judge_agreement(labels, rng.permutation(labels.codes_of(judge)))
    assert guesses.z.value < -1
    assert guesses.verdict == "not human-like"


def test_accuracy_leaves_out_items_without_one_most_frequent_label():
    people = {"a": {"1": "x", "2": "x"}, "b": {"1": "x", "2": "y"}, "c": {"1": "y"}}
    labels = HumanLabels.from_mapping(people, graded=False)
    assert judge_agreement(labels, labels.codes_of({"1": "x", "2": "y"})).accuracy.value == 1.0
    assert judge_agreement(labels, labels.codes_of({"1": "y", "2": "y"})).accuracy.value == 0.0
    undefined = judge_agreement(labels, labels.codes_of({"2": "y"})).accuracy
    assert undefined.value is None


def test_a_corrected_rate_is_rogan_and_gladens():
    result = corrected_rate(
        judged_correct=600,
        judged=1000,
        correct_accepted=90,
        correct=100,
        wrong_rejected=80,
        wrong=100,
    )
    assert result.value == pytest.approx((0.6 + 0.8 - 1) / (0.9 + 0.8 - 1))
    assert result.low < result.value < result.high


def test_a_judge_that_may_be_guessing_gives_no_rate():
    result = corrected_rate(
        judged_correct=600,
        judged=1000,
        correct_accepted=11,
        correct=20,
        wrong_rejected=10,
        wrong=20,
    )
    assert result.value is None
    assert "reaches 0" in result.reason
    none_wrong = corrected_rate(
        judged_correct=6, judged=10, correct_accepted=11, correct=20, wrong_rejected=0, wrong=0
    )
    assert none_wrong.value is None and "no labelled answer wrong" in none_wrong.reason
    with pytest.raises(ValueError, match="7 of 6"):
        corrected_rate(
            judged_correct=7, judged=6, correct_accepted=1, correct=1, wrong_rejected=1, wrong=1
        )


@pytest.mark.parametrize("truth", [0.1, 0.5, 0.8])
@pytest.mark.parametrize(("tpr", "tnr"), [(0.9, 0.8), (0.75, 0.95)])
def test_intervals_of_corrected_rates_cover_the_truth(truth, tpr, tnr):
    rng = np.random.default_rng(7)
    trials, covered, defined = 2000, 0, 0
    for _ in range(trials):
        correct = rng.binomial(1000, truth)
        accepted = rng.binomial(correct, tpr) + rng.binomial(1000 - correct, 1 - tnr)
        labelled = rng.binomial(200, 0.5)
        result = corrected_rate(
            judged_correct=accepted,
            judged=1000,
            correct_accepted=rng.binomial(labelled, tpr),
            correct=labelled,
            wrong_rejected=rng.binomial(200 - labelled, tnr),
            wrong=200 - labelled,
        )
        if result.ci is not None:
            defined += 1
            covered += result.ci[0] <= truth <= result.ci[1]
    assert defined == trials
    assert 0.935 <= covered / trials <= 0.98


def test_resampled_kappas_are_those_of_the_repeated_units():
    rng = np.random.default_rng(8)
    values = rng.integers(1, 4, (40, 3)).astype(float)
    units, raters = np.divmod(np.arange(120), 3)
    keep = rng.random(120) < 0.7
    ratings = Ratings(units[keep], raters[keep], values.ravel()[keep])
    counts = rng.multinomial(40, np.full(40, 1 / 40), size=5)
    for weights in ("nominal", "linear", "quadratic"):
        pairs = RaterPairs.of(ratings)
        for count in counts:
            repeated = [
                (copy, raters[k], values.ravel()[k])
                for k in np.flatnonzero(keep)
                for copy in units[k] * 100 + np.arange(count[units[k]])
            ]
            _, codes = np.unique([copy for copy, _, _ in repeated], return_inverse=True)
            _, of_raters, of_values = zip(*repeated, strict=True)
            alone = Ratings(codes, np.array(of_raters), np.array(of_values))
            np.testing.assert_allclose(
                pairs.kappas(weights, count), RaterPairs.of(alone).kappas(weights), atol=1e-12
            )


def test_intervals_of_kappas_are_wider_for_dependent_items():
    rng = np.random.default_rng(9)
    truth = np.repeat(rng.integers(1, 6, 30), 5)  # five alike items a passage
    shown = np.repeat(rng.integers(-1, 2, (30, 3)), 5, axis=0)
    people = {
        name: {str(k): float(truth[k] + shown[k, column]) for k in range(150)}
        for column, name in enumerate("abc")
    }
    judge = {str(k): float(truth[k]) for k in range(150)}
    widths = []
    for passages in (None, {str(k): k // 5 for k in range(150)}):
        labels = HumanLabels.from_mapping(people, graded=True, clusters=passages)
        of_judge, of_people = kappa_intervals(labels, labels.codes_of(judge), rng=rng, draws=200)
        agreement = judge_agreement(labels, labels.codes_of(judge))
        assert of_judge.value == agreement.kappa.value
        assert of_people.value == agreement.people_kappa.value
        assert of_judge.ci[0] < of_judge.value < of_judge.ci[1] < 1
        assert of_people.ci[1] < of_judge.ci[1]
        widths.append(of_judge.ci[1] - of_judge.ci[0])
    assert widths[1] > 1.5 * widths[0]
    one = HumanLabels.from_mapping(people, graded=True, clusters=dict.fromkeys(judge, 0))
    assert kappa_intervals(one, one.codes_of(judge), rng=rng)[0].ci is None
