"""Differences in rank between a metric and people (KPQA, Section 5.4)."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray


def rank_differences(scores: NDArray[np.float64], gold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each item's rank by the metric minus its rank by people, as a share of n, in (-1, 1).

    Both of shape (n,), higher is better; ties share their mean rank. Positive: the metric ranks
    the item higher than people do. NaN where either side has no score.
    """
    both = np.isfinite(scores) & np.isfinite(gold)
    differences = np.full(scores.shape, np.nan)
    if both.any():
        by_metric, by_people = scipy.stats.rankdata(scores[both]), scipy.stats.rankdata(gold[both])
        differences[both] = (by_metric - by_people) / np.count_nonzero(both)
    return differences
