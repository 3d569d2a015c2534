"""Slopes of ratings on metric scores, each fitted without the passage to which it is applied."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concord.estimation.sample import Sample

PENALTY = 1.0
"""Ridge penalty on standardised scores: one observation that says "slope 0"."""


def cross_fitted_slopes(sample: Sample) -> NDArray[np.float64]:
    """Slopes (N, k) for every candidate, from the rated candidates of all other passages.

    Ridge regression of the outcomes on the scores, with an intercept for each system and common
    slopes, so that few ratings of many systems suffice. The scores are standardised over all
    candidates. A passage without ratings leaves nothing out. Leaving out whole passages keeps the
    slope independent of the ratings that it adjusts (cross-fitting, with passages as folds).
    """
    spread = sample.scores.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    x = (sample.scores - sample.scores.mean(axis=0)) / scale
    rated = np.flatnonzero(sample.is_rated)
    passage_names, passages = np.unique(sample.passages, return_inverse=True)
    systems = len(sample.names)
    # One cell for each passage and system; its moments can be taken out of the system's.
    names, cells = np.unique(passages[rated] * systems + sample.systems[rated], return_inverse=True)
    moments = _cell_sums(cells, len(names), x[rated], sample.outcomes[rated])
    cell_system, cell_passage = names % systems, names // systems
    totals = [_sum_by(cell_system, systems, part) for part in moments]
    full_xx, full_xy = _centred(*totals)
    rest = [total[cell_system] - part for total, part in zip(totals, moments, strict=True)]
    rest_xx, rest_xy = _centred(*rest)
    count = len(passage_names)
    xx = full_xx.sum(axis=0) + _sum_by(cell_passage, count, rest_xx - full_xx[cell_system])
    xy = full_xy.sum(axis=0) + _sum_by(cell_passage, count, rest_xy - full_xy[cell_system])
    slopes = np.linalg.solve(xx + PENALTY * np.eye(x.shape[1]), xy[:, :, None])[:, :, 0]
    return np.asarray(slopes[passages] / scale)


def _cell_sums(
    cells: NDArray[np.int64], count: int, x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], ...]:
    """Counts, sums of x, y, x x' and x y of each cell."""
    products = x[:, :, None] * x[:, None, :]
    parts = (np.ones(len(x)), x, y, products, x * y[:, None])
    return tuple(_sum_by(cells, count, part) for part in parts)


def _sum_by(
    codes: NDArray[np.int64], count: int, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sums of rows with the same code, (count, ...)."""
    flat = values.reshape(len(values), -1)
    sums = [np.bincount(codes, column, minlength=count) for column in flat.T]
    stacked: NDArray[np.float64] = np.stack(sums, axis=1).astype(np.float64)
    return stacked.reshape(count, *values.shape[1:])


def _centred(
    n: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    xx: NDArray[np.float64],
    xy: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums of squares and products about the mean, from sums; zero for an empty group."""
    size = np.maximum(n, 1.0)
    return (
        xx - x[:, :, None] * x[:, None, :] / size[:, None, None],
        xy - x * (y / size)[:, None],
    )
