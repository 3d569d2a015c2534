"""Calibration of a judge's grades: what people say of the answers that it gives one grade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.inference import Estimate, clustered_mean
from concord.meta.correctness.calibration import equal_mass_bounds

MAX_POINTS = 12
"""More points of people's scale give no confusion matrix."""


@dataclass(frozen=True)
class GradeBin:
    """Items of neighbouring grades, from `low` to `high`. grade: their mean. gold: the mean of
    people's scores, with its 95% interval clustered by passage."""

    low: float
    high: float
    n: int
    grade: float
    gold: Estimate


@dataclass(frozen=True)
class GradeCalibration:
    """bins: grades rising. error: mean over items of the distance between its bin's mean grade and
    mean score of people, in points of the scale; 0 is best."""

    bins: list[GradeBin]
    error: float


def grade_calibration(
    grades: NDArray[np.float64],
    gold: NDArray[np.float64],
    clusters: NDArray[np.int64],
    bins: int = 10,
) -> GradeCalibration:
    """Of finite grades on people's scale and people's scores, all (n,), n >= 1.

    Bins have about the same number of items; equal grades are always in the same bin.
    """
    order = np.argsort(grades, kind="stable")
    rows = []
    for start, end in equal_mass_bounds(grades[order], bins):
        part = order[start:end]
        rows.append(
            GradeBin(
                low=float(grades[part[0]]),
                high=float(grades[part[-1]]),
                n=len(part),
                grade=float(grades[part].mean()),
                gold=clustered_mean(gold[part], clusters[part]),
            )
        )
    distances = [row.n * abs(row.grade - (row.gold.value or 0.0)) for row in rows]
    return GradeCalibration(rows, float(sum(distances) / len(grades)))


@dataclass(frozen=True)
class ConfusionMatrix:
    """points: people's labels, rising. counts: counts[i][j] items have the label i of people and
    j of the judge."""

    points: list[float]
    counts: list[list[int]]


def confusion_matrix(
    grades: NDArray[np.float64], gold: NDArray[np.float64], points: NDArray[np.float64]
) -> ConfusionMatrix | None:
    """Both (n,) moved to the nearest of people's labels `points`, rising; of two equally near the
    lower. None for more than MAX_POINTS labels, or fewer than two."""
    if not 2 <= len(points) <= MAX_POINTS:
        return None
    people, judge = nearest_points(gold, points), nearest_points(grades, points)
    counts = np.zeros((len(points), len(points)), dtype=np.int64)
    np.add.at(counts, (people, judge), 1)
    return ConfusionMatrix(points.tolist(), counts.tolist())


def nearest_points(values: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.int64]:
    """The index of the nearest of `points`, rising, to each finite value; the lower of two."""
    middles = (points[1:] + points[:-1]) / 2
    return np.searchsorted(middles, values, side="left").astype(np.int64)
