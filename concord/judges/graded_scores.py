"""A judge's scores as labels on people's scale: its own, or grades that are fitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from concord.arrays import Floats, Integers
from concord.judges.labels import off_scale

FOLDS = 10
Curve = Literal["line", "isotonic"]
FittedCurve = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class JudgeLabels:
    """values: (n,), a judge's labels, NaN without a score. off_scale: "" where they are its own
    scores, else a sentence without a full stop that says why they are fitted grades."""

    values: Floats
    off_scale: str = ""


def judge_labels(
    scores: Floats, gold: Floats, clusters: Integers, scale: tuple[float, float]
) -> JudgeLabels:
    """The labels by which a judge is compared with people, from its scores.

    scores: (n,), NaN where there is none. gold: people's, (n,). scale: the lowest and the highest
    label of people. Own scores that lie on the scale and use it (`is_on_scale`) are the labels:
    grades between people's labels never tie with one, and ties count for the judge. Others become
    grades of `grades_from_scores`, to compare labels only: without one of its passages the mean of
    gold moves away from it, so out-of-fold grades of a judge that knows nothing correlate below 0
    with people.
    """
    if not np.isfinite(scores).any() or not (fault := off_scale(scores, scale)):
        return JudgeLabels(scores)
    return JudgeLabels(
        grades_from_scores(scores, gold, clusters, scale),
        f"its own scores, {fault}: its labels are grades that a straight line makes of them, "
        "fitted on other passages",
    )


def grades_from_scores(
    scores: Floats,
    gold: Floats,
    clusters: Integers,
    scale: tuple[float, float] | None = None,
    *,
    curve: Curve = "line",
) -> Floats:
    """Predict each item's gold score from its score, out of fold: float64 (n,).

    A curve is fitted by least squares on the items of the other folds; folds are groups of
    clusters (passages), so that no item of the same passage is seen. Predictions are cut to
    `scale`. NaN where the score is NaN. Without variation in the scores the grade is the mean
    gold score of the other folds: the best judge that does not look at the item.
    curve: `fitted_line` or, "isotonic", `fitted_rise`.
    """
    fold = cluster_folds(clusters)
    grades = np.full(len(scores), np.nan)
    graded = ~np.isnan(scores)
    usable = graded & ~np.isnan(gold)
    fit = FITS[curve]
    for number in np.unique(fold):
        train, test = usable & (fold != number), (fold == number) & graded
        if train.any():
            grades[test] = fit(scores[train], gold[train])(scores[test])
    return grades if scale is None else np.clip(grades, *scale)


def fitted_line(x: Floats, y: Floats) -> FittedCurve:
    """The straight line of y by least squares; the mean of y where x does not vary."""
    centre, spread, mean = x.mean(), x - x.mean(), y.mean()
    slope = float(spread @ y) / float(spread @ spread) if np.ptp(x) > 0 else 0.0
    return lambda values: np.asarray(mean + slope * (values - centre))


def fitted_rise(x: Floats, y: Floats) -> FittedCurve:
    """The curve of y by least squares that never falls: linear between the x, constant beyond."""
    points, index, counts = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(index.reshape(-1), weights=y) / counts
    rising = scipy.optimize.isotonic_regression(means, weights=counts).x
    return lambda values: np.asarray(np.interp(values, points, rising))


FITS: dict[Curve, Callable[[Floats, Floats], FittedCurve]] = {
    "line": fitted_line,
    "isotonic": fitted_rise,
}


def cluster_folds(clusters: Integers) -> Integers:
    """The fold of each item, from 0 to FOLDS - 1, (n,); items of one cluster share a fold."""
    return np.asarray(np.unique(clusters, return_inverse=True)[1].reshape(-1) % FOLDS)
