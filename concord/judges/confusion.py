"""People's labels beside a judge's: the confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.arrays import Floats, Integers

MAX_POINTS = 12
"""More points of people's scale give no confusion matrix."""


@dataclass(frozen=True)
class ConfusionMatrix:
    """points: people's labels, rising. counts: counts[i][j] items have the label i of people and
    j of the judge."""

    points: list[float]
    counts: list[list[int]]


def confusion_matrix(grades: Floats, gold: Floats, points: Floats) -> ConfusionMatrix | None:
    """Both (n,) moved to the nearest of people's labels `points`, rising; of two equally near the
    lower. None for more than MAX_POINTS labels, or fewer than two."""
    if not 2 <= len(points) <= MAX_POINTS:
        return None
    people, judge = nearest_points(gold, points), nearest_points(grades, points)
    counts = np.zeros((len(points), len(points)), dtype=np.int64)
    np.add.at(counts, (people, judge), 1)
    return ConfusionMatrix(points.tolist(), counts.tolist())


def nearest_points(values: Floats, points: Floats) -> Integers:
    """The index of the nearest of `points`, rising, to each finite value; the lower of two."""
    middles = (points[1:] + points[:-1]) / 2
    return np.searchsorted(middles, values, side="left").astype(np.int64)
