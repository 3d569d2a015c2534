"""Intervals by resampling passages: sums by passage once, then a product a draw."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from concord.meta.inference.draws import blocks, times_taken
from concord.meta.inference.groups import Groups
from concord.meta.inference.products import product

Interval = tuple[float, float]
# Passages times draws: more take longer than a page should.
MOST_TAKEN = 4_000_000
FEWEST_DRAWS, MOST_DRAWS = 200, 1000


def draws_for(clusters: int) -> int:
    """How many draws a page can afford over so many passages: 1,000, fewer over many, at least
    200, which find the ends of an interval to about a tenth of its width."""
    return max(FEWEST_DRAWS, min(MOST_DRAWS, MOST_TAKEN // max(1, clusters)))


def sums_by_cluster(
    values: NDArray[np.float64], clusters: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sums of values (..., n) over the answers of each passage, `clusters` (n,): (G, ...)."""
    groups = Groups.of(np.unique(clusters, return_inverse=True)[1].reshape(-1).astype(np.int64))
    return np.moveaxis(groups.sums(values[..., groups.order]), -1, 0)


def resampled(
    sums: NDArray[np.float64], rng: np.random.Generator, draws: int
) -> NDArray[np.float64]:
    """Sums over passages drawn with replacement, as many as there are: (draws, ...) of (G, ...)."""
    flat = sums.reshape(len(sums), -1)
    found = np.empty((draws, flat.shape[1]))
    for block in blocks(rng, draws):
        taken = times_taken(block.rng, block.size, len(flat)).astype(np.float64)
        found[block.rows] = product(taken, flat)
    return found.reshape(draws, *sums.shape[1:])


def intervals(drawn: NDArray[np.float64], values: NDArray[np.float64]) -> list[Interval | None]:
    """The 95% percentile interval of each of K figures: drawn (draws, K), values (K,).

    None where the figure is NaN, or is so in more than one draw in twenty: too few answers carry
    it; and where no draw differs, which says nothing. Widened to hold the figure itself, which on
    few passages may lie outside.
    """
    found: list[Interval | None] = []
    for column, value in zip(drawn.T, values, strict=True):
        known = column[~np.isnan(column)]
        if np.isnan(value) or len(known) < 0.95 * len(column):
            found.append(None)
            continue
        low, high = np.quantile(known, (0.025, 0.975))
        ends = min(float(low), float(value)), max(float(high), float(value))
        found.append(ends if ends[0] < ends[1] else None)
    return found


def figures(
    sums: NDArray[np.float64],
    figure: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    drawn: NDArray[np.float64],
) -> tuple[NDArray[np.float64], list[Interval | None]]:
    """K figures made of sums, and their intervals.

    sums: (G, K, T), T sums of each figure by passage; drawn: (draws, K, T) of `resampled`, or no
    draws for no intervals. `figure` takes (T, ...) and gives (...).
    """
    values = figure(np.moveaxis(sums.sum(axis=0), -1, 0))
    if not len(drawn):
        return values, [None] * len(values)
    return values, intervals(figure(np.moveaxis(drawn, -1, 0)), values)
