"""Scatter plots of a metric against people; squares with counts where there are many points."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.plots.axes import Axis
from concord.plots.frames import Frame

Values = NDArray[np.float64]
FRAME = Frame(720, 480, left=64, right=704, top=16, bottom=428)
SPREAD = 14.0  # maximum spread of equal values, in pixels
MAX_SPREAD_VALUES = 40  # an axis with no more distinct values than this has its points spread
GOLDEN = 0.6180339887498949
BINS = 32
SHADES = 6


@dataclass(frozen=True, slots=True)
class ScatterPlane:
    """x is people's score, y the metric's. `spread_*` are pixels either side."""

    x: Axis
    y: Axis
    frame: Frame
    spread_x: float
    spread_y: float


@dataclass(frozen=True, slots=True)
class Point:
    """`index` is the index of its value."""

    x: float
    y: float
    index: int


@dataclass(frozen=True, slots=True)
class Square:
    """A bin of `count` candidates; `shade` is from 1 (few) to SHADES (most)."""

    x: float
    y: float
    width: float
    height: float
    count: int
    shade: int
    gold: tuple[float, float]
    score: tuple[float, float]


def scatter_plane(
    gold: Values,
    scores: Values,
    metric: str,
    scale: tuple[float, float] | None = None,
    x_name: str = "people's score",
) -> ScatterPlane:
    """Axes over finite values, both of shape (n,), n >= 1; `scale` is the ratings', if known."""
    low, high = scale or (float(gold.min()), float(gold.max()))
    x = FRAME.x_axis(min(low, float(gold.min())), max(high, float(gold.max())), 8)
    y = FRAME.y_axis(float(scores.min()), float(scores.max()), 6)
    pad_x, pad_y = _spread(gold, x), _spread(scores, y)
    x = replace(x, start=x.start + SPREAD, end=x.end - SPREAD)
    y = replace(y, start=y.start - SPREAD, end=y.end + SPREAD)
    frame = FRAME.with_ticks(x.ticks(), y.ticks(), x_name, metric)
    return ScatterPlane(x, y, frame, pad_x, pad_y)


def scatter_points(plane: ScatterPlane, gold: Values, scores: Values) -> list[Point]:
    """A point for each pair of values; equal values are spread deterministically."""
    indices = np.arange(len(gold))
    # Multiples of the golden ratio modulo 1 fill [0, 1) evenly, for any number of them.
    x_offsets = (indices * GOLDEN % 1.0 - 0.5) * 2 * plane.spread_x
    y_offsets = (indices * GOLDEN * GOLDEN % 1.0 - 0.5) * 2 * plane.spread_y
    return [
        Point(
            round(plane.x.to_pixel(float(gold[i])) + float(x_offsets[i]), 1),
            round(plane.y.to_pixel(float(scores[i])) + float(y_offsets[i]), 1),
            int(i),
        )
        for i in indices
    ]


def density_squares(plane: ScatterPlane, gold: Values, scores: Values) -> list[Square]:
    """Squares with at least one candidate, shaded by the logarithm of the count."""
    counts, x_edges, y_edges = np.histogram2d(
        gold,
        scores,
        bins=BINS,
        range=((plane.x.low, plane.x.high), (plane.y.low, plane.y.high)),
    )
    max_log_count = np.log1p(counts.max())
    squares = []
    for i, j in np.argwhere(counts):
        left, right = plane.x.to_pixel(x_edges[i]), plane.x.to_pixel(x_edges[i + 1])
        low, high = plane.y.to_pixel(y_edges[j]), plane.y.to_pixel(y_edges[j + 1])
        count = int(counts[i, j])
        squares.append(
            Square(
                left,
                high,
                round(right - left, 2),
                round(low - high, 2),
                count,
                int(np.ceil(SHADES * np.log1p(count) / max_log_count)),
                (float(x_edges[i]), float(x_edges[i + 1])),
                (float(y_edges[j]), float(y_edges[j + 1])),
            )
        )
    return squares


def _spread(values: Values, axis: Axis) -> float:
    """Pixels either side over which equal values are spread: none where few are equal."""
    distinct = np.unique(values)
    if len(distinct) > MAX_SPREAD_VALUES or len(distinct) == len(values):
        return 0.0
    if len(distinct) == 1:
        return SPREAD
    nearest = float(np.diff(distinct).min()) * abs(axis.end - axis.start) / (axis.high - axis.low)
    return min(SPREAD, 0.4 * nearest)
