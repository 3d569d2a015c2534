"""Bootstrap over passages of figures that are functions of sums over answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from concord.inference import Estimate, Scale, resample_counts, resampled_estimate
from concord.meta.inference.draws import blocks
from concord.meta.inference.groups import Groups
from concord.meta.inference.products import product

# Maximum of passages times draws; more would take too long for a page.
MAX_RESAMPLED = 4_000_000
MIN_DRAWS, MAX_DRAWS = 200, 1000


def affordable_draws(clusters: int) -> int:
    """Number of draws for a page: 1,000; fewer for many passages, but at least 200, with which the
    Monte Carlo error of an interval's ends is about a tenth of its width."""
    return max(MIN_DRAWS, min(MAX_DRAWS, MAX_RESAMPLED // max(1, clusters)))


def sums_by_cluster(
    values: NDArray[np.float64], clusters: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sums of values (..., n) over the answers of each passage, `clusters` (n,): (G, ...)."""
    groups = Groups.from_codes(
        np.unique(clusters, return_inverse=True)[1].reshape(-1).astype(np.int64)
    )
    return np.moveaxis(groups.sums(values[..., groups.order]), -1, 0)


def resample_sums(
    sums: NDArray[np.float64], rng: np.random.Generator, draws: int
) -> NDArray[np.float64]:
    """Sums over passages drawn with replacement, as many as there are: (draws, ...) of (G, ...)."""
    flat = sums.reshape(len(sums), -1)
    resampled = np.empty((draws, flat.shape[1]))
    for block in blocks(rng, draws):
        counts = resample_counts(block.rng, block.size, len(flat)).astype(np.float64)
        resampled[block.rows] = product(counts, flat)
    return resampled.reshape(draws, *sums.shape[1:])


def resampled_figures(
    values: NDArray[np.float64], resampled: NDArray[np.float64], clusters: int, scale: Scale
) -> list[Estimate]:
    """K values, (K,), with their intervals by resampling passages: resampled is (draws, K).

    A NaN becomes an undefined figure with an empty reason, which the caller replaces.
    """
    return [
        Estimate(None, reason="")
        if np.isnan(value)
        else resampled_estimate(column, value, clusters, scale)
        for value, column in zip(values.tolist(), resampled.T, strict=True)
    ]


def figures_of_sums(
    sums: NDArray[np.float64],
    figure: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    resampled: NDArray[np.float64],
) -> list[Estimate]:
    """K figures made of sums, means or differences, and their intervals.

    sums: (G, K, T), T sums of each figure by passage; resampled: (draws, K, T) of `resample_sums`.
    `figure` maps (T, ...) to (...).
    """
    values = figure(np.moveaxis(sums.sum(axis=0), -1, 0))
    drawn = figure(np.moveaxis(resampled, -1, 0))
    return resampled_figures(values, drawn, len(sums), "difference")
