"""Intervals by resampling passages: sums by passage, then a matrix product per block of draws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from concord.meta.inference.draws import blocks, resample_counts
from concord.meta.inference.groups import Groups
from concord.meta.inference.products import product

Interval = tuple[float, float]
# Maximum of passages times draws; more would take too long for a page.
MAX_RESAMPLED = 4_000_000
MIN_DRAWS, MAX_DRAWS = 200, 1000


def affordable_draws(clusters: int) -> int:
    """Number of draws for a page: 1,000, or fewer for many passages, but at least 200, which give
    the ends of an interval to about a tenth of its width."""
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


def intervals(resampled: NDArray[np.float64], values: NDArray[np.float64]) -> list[Interval | None]:
    """The 95% percentile interval of each of K figures: drawn (draws, K), values (K,).

    None where the figure is NaN, or is so in more than one draw in twenty: too few answers carry
    it; and where no draw differs, which says nothing. Widened to hold the figure itself, which on
    few passages may lie outside.
    """
    result: list[Interval | None] = []
    for column, value in zip(resampled.T, values, strict=True):
        defined = column[~np.isnan(column)]
        if np.isnan(value) or len(defined) < 0.95 * len(column):
            result.append(None)
            continue
        low, high = np.quantile(defined, (0.025, 0.975))
        ends = min(float(low), float(value)), max(float(high), float(value))
        result.append(ends if ends[0] < ends[1] else None)
    return result


def figures_with_intervals(
    sums: NDArray[np.float64],
    figure: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    drawn: NDArray[np.float64],
) -> tuple[NDArray[np.float64], list[Interval | None]]:
    """K figures made of sums, and their intervals.

    sums: (G, K, T), T sums of each figure by passage; drawn: (draws, K, T) of `resample_sums`;
    without draws there are no intervals. `figure` maps (T, ...) to (...).
    """
    values = figure(np.moveaxis(sums.sum(axis=0), -1, 0))
    if not len(drawn):
        return values, [None] * len(values)
    return values, intervals(figure(np.moveaxis(drawn, -1, 0)), values)
