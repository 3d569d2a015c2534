"""Calibration of scores: reliability in bins of equal mass, calibration error and Brier score.

A calibration error has no null: that of a perfect judge is above 0, since the mean of a bin's few
answers is noisy. So the error expected of a perfect judge stands beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.inference import Estimate, clustered_error, clustered_mean, clustered_share

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """n answers with scores from `low` to `high`.

    grade: their mean score. gold: the mean of people's scores, or the share that people found
    correct, with its 95% interval clustered by passage.
    """

    low: float
    high: float
    n: int
    grade: float
    gold: Estimate


@dataclass(frozen=True)
class Calibration:
    """Calibration of one metric or judge.

    bins: by increasing score. error: the mean over answers of the distance between their bin's mean
    score and people's mean, 0 is best; of probabilities it is the expected calibration error (ECE).
    expected: the error of a perfect judge, on average, of as many answers that depend on each other
    as much. brier: mean squared difference between probability and verdict, in [0, 1], 0 is best.
    """

    bins: list[Bin]
    error: Estimate
    expected: float
    brier: Estimate


def calibration(
    scores: Floats, people: Booleans | Floats, clusters: Integers, bins: int = BINS
) -> Calibration:
    """The calibration of probabilities beside verdicts, or of grades beside people's scores.

    scores: finite, higher is better. people: verdicts (bool), or scores on the scale of `scores`.
    clusters: passages. All (n,), n >= 1. Bins have about the same number of answers; equal scores
    are always in the same bin, so a judge with few distinct scores has fewer bins. The error is
    less biased with bins of equal mass than with bins of equal width (Nixon et al. 2019, Measuring
    Calibration in Deep Learning). Of a perfect judge, the distance of a bin's means is the absolute
    value of a nearly normal variable with the mean 0, whose mean is sqrt(2 / pi) times its standard
    error. Errors beside verdicts are undefined for scores outside [0, 1], brier also for grades.
    """
    if not (scores.shape == people.shape == clusters.shape and scores.ndim == 1 and len(scores)):
        raise ValueError(f"scores {scores.shape} and people {people.shape} must be one vector")
    of_verdicts, n = people.dtype == np.bool_, len(scores)
    mean, gold = clustered_share if of_verdicts else clustered_mean, people.astype(np.float64)
    order = np.argsort(scores, kind="stable")
    rows, error, expected = [], 0.0, 0.0
    for start, end in equal_mass_bounds(scores[order], bins):
        part = order[start:end]
        own, residuals, size = scores[part], gold[part] - scores[part], len(part)
        # The mean of equal scores may differ from them by rounding.
        score = float(np.clip(own.mean(), own[0], own[-1]))
        of_people = mean(gold[part], clusters[part])
        rows.append(
            Bin(low=float(own[0]), high=float(own[-1]), n=size, grade=score, gold=of_people)
        )
        variance = float(residuals.var())
        if of_verdicts:
            variance = max(variance, float(np.mean(own * (1 - own))))
        noise = max(clustered_error(residuals, clusters[part])[0], math.sqrt(variance / size))
        error += size / n * abs(float(residuals.mean()))
        expected += size / n * math.sqrt(2 / math.pi) * noise
    if of_verdicts and (scores.min() < 0 or scores.max() > 1):
        undefined = Estimate(
            None, reason="its scores are not probabilities: some are outside 0 to 1"
        )
        return Calibration(rows, undefined, expected, undefined)
    brier = Estimate(None, reason="people's scores are not verdicts")
    if of_verdicts:
        brier = Estimate(float(np.mean((scores - gold) ** 2)))
    return Calibration(rows, Estimate(error), expected, brier)


def equal_mass_bounds(sorted_scores: Floats, bins: int) -> list[tuple[int, int]]:
    """(start, end) of each bin; a bin ends at the first change of score at or after its share."""
    n = len(sorted_scores)
    changes = np.append(np.flatnonzero(sorted_scores[1:] != sorted_scores[:-1]) + 1, n)
    targets = np.arange(1, bins + 1) * n / bins
    ends = np.unique(changes[np.minimum(np.searchsorted(changes, targets), len(changes) - 1)])
    return list(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True))
