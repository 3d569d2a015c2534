"""Scores as grades on people's scale, by a line or by a rising curve, beside scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LinearRegression

from concord.judges import grades_from_scores
from concord.judges.graded_scores import cluster_folds


def judged(seed: int = 3):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(40), 3)
    scores = rng.integers(0, 11, len(clusters)).astype(float)  # with ties
    gold = np.clip(1 + (scores / 5) ** 2 + rng.normal(0, 0.5, len(scores)), 1, 5)
    return scores, gold, clusters


@pytest.mark.parametrize("curve", ["line", "isotonic"])
def test_each_fold_is_graded_by_scikit_learns_fit_of_the_others(curve):
    scores, gold, clusters = judged()
    grades = grades_from_scores(scores, gold, clusters, curve=curve)
    fold = cluster_folds(clusters)
    for number in np.unique(fold):
        train, test = fold != number, fold == number
        if curve == "line":
            fit = LinearRegression().fit(scores[train, None], gold[train])
            expected = fit.predict(scores[test, None])
        else:
            fit = IsotonicRegression(out_of_bounds="clip").fit(scores[train], gold[train])
            expected = fit.predict(scores[test])
        np.testing.assert_allclose(grades[test], expected, atol=1e-9)


def test_a_rising_curve_is_nearer_to_people_where_no_line_fits():
    scores, gold, clusters = judged()
    line, rising = (
        np.abs(grades_from_scores(scores, gold, clusters, curve=curve) - gold).mean()
        for curve in ("line", "isotonic")
    )
    assert rising < line
