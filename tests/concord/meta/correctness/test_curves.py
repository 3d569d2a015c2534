"""ROC and precision-recall curves, their areas and calibration, beside scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtr
from sklearn import calibration, metrics

from concord.meta import correctness

# Few distinct scores, so that many tie.
answers = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.booleans()), min_size=2, max_size=60
).filter(lambda rows: len({right for _, right in rows}) == 2)


def arrays(rows: list[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([score for score, _ in rows]), np.array([right for _, right in rows])


@given(answers)
def test_the_roc_curve_and_its_area_are_scikit_learns(rows: list[tuple[float, bool]]) -> None:
    scores, right = arrays(rows)
    curve = correctness.roc(correctness.threshold_steps(scores, right))
    x, y, thresholds = metrics.roc_curve(right, scores, drop_intermediate=False)
    np.testing.assert_allclose(curve.x, x)
    np.testing.assert_allclose(curve.y, y)
    np.testing.assert_array_equal(curve.thresholds, thresholds)
    result = correctness.auc(scores, right, np.arange(len(scores)))
    assert result.value == pytest.approx(metrics.roc_auc_score(right, scores), abs=1e-12)
    assert result.value == pytest.approx(float(np.trapezoid(curve.y, curve.x)), abs=1e-12)


@given(answers)
def test_precision_and_recall_are_scikit_learns(rows: list[tuple[float, bool]]) -> None:
    scores, right = arrays(rows)
    result = correctness.threshold_steps(scores, right)
    curve = correctness.precision_recall(result)
    y, x, thresholds = metrics.precision_recall_curve(right, scores)
    np.testing.assert_allclose(curve.x, x[:-1][::-1])  # it adds a point at recall 0
    np.testing.assert_allclose(curve.y, y[:-1][::-1])
    np.testing.assert_array_equal(curve.thresholds, thresholds[::-1])
    expected = metrics.average_precision_score(right, scores)
    assert correctness.average_precision(result) == pytest.approx(expected, abs=1e-12)


@given(answers)
@example([(0.0, True), (0.25, True), (0.0, False), (0.5, False)])  # an interval of no width
def test_turning_scores_turns_the_area(rows: list[tuple[float, bool]]) -> None:
    scores, right = arrays(rows)
    clusters = np.arange(len(scores)) // 2
    one, other = (correctness.auc(sign * scores, right, clusters) for sign in (1, -1))
    assert one.value is not None and other.value is not None
    assert one.value + other.value == pytest.approx(1.0)
    if one.ci and other.ci:
        assert one.ci[0] == pytest.approx(1 - other.ci[1], abs=1e-9)
        assert 0 <= one.ci[0] <= one.value <= one.ci[1] <= 1


def test_the_areas_interval_of_single_answers_is_delongs() -> None:
    """DeLong's variance written out with every pair (Biometrics 44, 1988, equation 4 on)."""
    rng = np.random.default_rng(3)
    scores, right = rng.integers(0, 6, 60).astype(float), rng.random(60) < 0.4
    scores[right] += 1
    psi = (scores[right][:, None] > scores[~right]) + 0.5 * (
        scores[right][:, None] == scores[~right]
    )
    m, n = psi.shape
    area = psi.mean()
    # Obuchowski's correction is of all answers together, DeLong's of each verdict's alone.
    spread = ((psi.mean(axis=1) - area) ** 2).sum() / m**2 + (
        (psi.mean(axis=0) - area) ** 2
    ).sum() / n**2
    half = stats.t.ppf(0.975, 59) * np.sqrt(60 / 59 * spread) / (area * (1 - area))
    ends = 1 / (1 + np.exp(-(np.log(area / (1 - area)) + np.array([-half, half]))))
    result = correctness.auc(scores, right, np.arange(60))
    assert result.ci == pytest.approx(tuple(ends), abs=1e-12)


def test_answers_that_repeat_in_a_passage_are_no_more_evidence() -> None:
    rng = np.random.default_rng(4)
    scores, right = rng.normal(size=80), rng.random(80) < 0.5
    once = correctness.auc(scores, right, np.arange(80))
    again = correctness.auc(np.repeat(scores, 3), np.repeat(right, 3), np.repeat(np.arange(80), 3))
    assert once.ci and again.ci
    assert again.value == pytest.approx(once.value)
    assert again.ci == pytest.approx(once.ci)


def test_few_passages_have_wider_intervals_than_normal_quantiles_give() -> None:
    rng = np.random.default_rng(4)
    truth, covered = stats.norm.cdf(1 / np.sqrt(2)), 0
    for _ in range(400):
        right = rng.random(40) < 0.5
        passages = np.repeat(np.arange(5), 8)
        scores = right + rng.normal(size=40)
        ends = correctness.auc(scores, right, passages).ci or (0.0, 1.0)
        covered += ends[0] <= truth <= ends[1]
    assert covered / 400 >= 0.92


def test_one_verdict_only_has_no_area_and_says_why() -> None:
    scores, clusters = np.arange(3.0), np.arange(3)
    every = correctness.auc(scores, np.ones(3, bool), clusters)
    none = correctness.auc(scores, np.zeros(3, bool), clusters)
    assert every.value is None and every.reason == "people found every answer correct"
    assert none.value is None and none.reason == "people found no answer correct"
    with pytest.raises(ValueError, match="one verdict"):
        correctness.roc(correctness.threshold_steps(scores, np.ones(3, bool)))
    with pytest.raises(ValueError, match="missing"):
        correctness.threshold_steps(np.array([np.nan, 1.0]), np.array([True, False]))


def test_a_thinned_curve_keeps_its_ends_and_its_shape() -> None:
    rng = np.random.default_rng(5)
    right = rng.random(5000) < 0.5
    curve = correctness.roc(correctness.threshold_steps(rng.normal(size=5000) + right, right))
    thin = correctness.thin_curve(curve, 200)
    assert len(thin.x) <= 202
    assert (thin.x[0], thin.y[0], thin.x[-1], thin.y[-1]) == (0, 0, 1, 1)
    assert np.abs(np.interp(curve.x, thin.x, thin.y) - curve.y).max() < 0.02
    assert correctness.thin_curve(thin, 500) is thin


@given(answers)
def test_calibration_counts_every_answer_once_and_brier_is_scikit_learns(
    rows: list[tuple[float, bool]],
) -> None:
    scores, right = arrays(rows)
    result = correctness.calibration(scores, right, np.arange(len(scores)), bins=3)
    assert sum(one.n for one in result.bins) == len(scores)
    assert all(a.high < b.low for a, b in zip(result.bins, result.bins[1:], strict=False))
    assert result.brier.value == pytest.approx(metrics.brier_score_loss(right, scores), abs=1e-12)
    assert result.error.value is not None and 0 <= result.error.value <= 1
    for one in result.bins:
        assert one.low <= one.grade <= one.high
        assert one.gold.ci[0] <= one.gold.value <= one.gold.ci[1]


def test_the_reliability_curve_is_scikit_learns_by_quantiles() -> None:
    rng = np.random.default_rng(6)
    scores = rng.random(1000)
    right = rng.random(1000) < scores
    result = correctness.calibration(scores, right, np.arange(1000))
    share, mean = calibration.calibration_curve(right, scores, n_bins=10, strategy="quantile")
    assert [one.gold.value for one in result.bins] == pytest.approx(share.tolist(), abs=0.011)
    assert [one.grade for one in result.bins] == pytest.approx(mean.tolist(), abs=0.005)
    assert result.error.value is not None and result.error.value < 0.06
    assert result.error.value == pytest.approx(result.expected, rel=0.4)


def test_the_expected_error_is_that_of_perfect_judges_of_dependent_answers() -> None:
    """And the intervals of the bins hold what people think in 95% of cases."""
    rng, clusters = np.random.default_rng(7), np.repeat(np.arange(60), 5)
    errors, expected, covered = [], [], []
    for _ in range(100):
        hard = np.sqrt(0.3) * rng.normal(size=60)[clusters] + np.sqrt(0.7) * rng.normal(size=300)
        scores = rng.random(300)
        result = correctness.calibration(scores, ndtr(hard) < scores, clusters)
        errors.append(result.error.value)
        expected.append(result.expected)
        covered += [one.gold.low <= one.grade <= one.gold.high for one in result.bins]
    assert np.mean(expected) == pytest.approx(np.mean(errors), rel=0.1)
    assert 0.93 <= np.mean(covered) <= 0.985


def test_scores_outside_0_to_1_are_no_probabilities() -> None:
    verdicts = np.array([False, True, True])
    result = correctness.calibration(np.array([-1.0, 0.5, 3.0]), verdicts, np.arange(3))
    assert result.error.value is None and "outside 0 to 1" in result.error.reason
    assert result.bins
