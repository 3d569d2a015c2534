"""Calibration of scores: reliability in bins of equal mass, ECE and the Brier score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.inference import Estimate, wilson

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """n answers with scores from `low` to `high`.

    score: their mean score. correct: share that people found correct. ci: Wilson's 95% interval of
    this share.
    """

    low: float
    high: float
    n: int
    score: float
    correct: float
    ci: tuple[float, float]


@dataclass(frozen=True)
class Calibration:
    """Calibration of one metric.

    bins: by increasing score. ece: expected calibration error, the mean over answers of the
    absolute difference between their bin's mean score and share correct. brier: mean squared
    difference between score and verdict. Both are in [0, 1], 0 is best; undefined where scores are
    not probabilities.
    """

    bins: list[Bin]
    ece: Estimate
    brier: Estimate


def calibration(
    scores: NDArray[np.float64], correct: NDArray[np.bool_], bins: int = BINS
) -> Calibration:
    """The calibration of scores. scores: (n,), finite, higher means correct. correct: people's
    verdicts, (n,). n is at least 1.

    Bins have about the same number of answers; equal scores are always in the same bin, so a metric
    with few distinct scores has fewer bins. ECE is less biased with bins of equal mass than with
    bins of equal width (Nixon et al. 2019, Measuring Calibration in Deep Learning).
    """
    if scores.shape != correct.shape or scores.ndim != 1 or not len(scores):
        raise ValueError(f"scores {scores.shape} and correct {correct.shape} must be one vector")
    order = np.argsort(scores, kind="stable")
    sorted_scores, verdicts = scores[order], correct[order]
    rows = [
        _bin(sorted_scores[start:end], verdicts[start:end])
        for start, end in equal_mass_bounds(sorted_scores, bins)
    ]
    if scores.min() < 0 or scores.max() > 1:
        reason = "its scores are not probabilities: some are outside 0 to 1"
        return Calibration(rows, Estimate(None, reason=reason), Estimate(None, reason=reason))
    ece = sum(row.n * abs(row.score - row.correct) for row in rows) / len(scores)
    brier = float(np.mean((scores - correct) ** 2))
    return Calibration(rows, Estimate(ece), Estimate(brier))


def equal_mass_bounds(sorted_scores: NDArray[np.float64], bins: int) -> list[tuple[int, int]]:
    """(start, end) of each bin; a bin ends at the first change of score at or after its share."""
    n = len(sorted_scores)
    changes = np.append(np.flatnonzero(sorted_scores[1:] != sorted_scores[:-1]) + 1, n)
    targets = np.arange(1, bins + 1) * n / bins
    ends = np.unique(changes[np.minimum(np.searchsorted(changes, targets), len(changes) - 1)])
    return list(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True))


def _bin(scores: NDArray[np.float64], correct: NDArray[np.bool_]) -> Bin:
    n, share = len(scores), float(correct.mean())
    # The mean of equal scores may differ from them by rounding.
    mean = float(np.clip(scores.mean(), scores[0], scores[-1]))
    return Bin(
        low=float(scores[0]),
        high=float(scores[-1]),
        n=n,
        score=mean,
        correct=share,
        ci=wilson(share, n),
    )
