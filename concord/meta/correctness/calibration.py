"""Does a score mean what it says? Reliability by bins of equal mass, ECE and the Brier score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.meta.figures import Figure
from concord.meta.pairs import wilson

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of neighbouring scores: from `low` to `high`, their mean score, and the share of them
    that people found correct, with Wilson's 95% interval."""

    low: float
    high: float
    n: int
    score: float
    correct: float
    ci: tuple[float, float]


@dataclass(frozen=True)
class Calibration:
    """bins: scores rising. ece: mean over answers of the distance between its bin's mean score and
    share correct; brier: mean squared distance of score and verdict. Both in [0, 1], 0 is best, and
    undefined where scores are not probabilities."""

    bins: list[Bin]
    ece: Figure
    brier: Figure


def calibration(
    scores: NDArray[np.float64], correct: NDArray[np.bool_], bins: int = BINS
) -> Calibration:
    """Of finite scores and people's verdicts, both (n,), n >= 1; higher scores mean correct.

    Bins hold equally many answers, as far as equal scores allow, which are never parted: a metric
    with few distinct scores has fewer bins. Bins of equal mass make ECE less biased than bins of
    equal width (Nixon et al. 2019, Measuring Calibration in Deep Learning).
    """
    if scores.shape != correct.shape or scores.ndim != 1 or not len(scores):
        raise ValueError(f"scores {scores.shape} and correct {correct.shape} must be one vector")
    order = np.argsort(scores, kind="stable")
    ordered, verdicts = scores[order], correct[order]
    found = [_bin(ordered[start:end], verdicts[start:end]) for start, end in _bounds(ordered, bins)]
    if scores.min() < 0 or scores.max() > 1:
        reason = "its scores are no probabilities: some lie outside 0 to 1"
        return Calibration(found, Figure.undefined(reason), Figure.undefined(reason))
    ece = sum(one.n * abs(one.score - one.correct) for one in found) / len(scores)
    brier = float(np.mean((scores - correct) ** 2))
    return Calibration(found, Figure(ece), Figure(brier))


def _bounds(ordered: NDArray[np.float64], bins: int) -> list[tuple[int, int]]:
    """Where each bin begins and ends: at the first change of score at or after each share."""
    n = len(ordered)
    changes = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, n)
    wanted = np.arange(1, bins + 1) * n / bins
    ends = np.unique(changes[np.minimum(np.searchsorted(changes, wanted), len(changes) - 1)])
    return list(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True))


def _bin(scores: NDArray[np.float64], correct: NDArray[np.bool_]) -> Bin:
    n, share = len(scores), float(correct.mean())
    # A mean of equal scores may miss them by a bit.
    mean = float(np.clip(scores.mean(), scores[0], scores[-1]))
    return Bin(float(scores[0]), float(scores[-1]), n, mean, share, wilson(share, n))
