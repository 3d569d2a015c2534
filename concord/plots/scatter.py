"""A metric against people: a point a candidate, or squares that count them where there are many."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.plots.axes import Axis
from concord.plots.frames import Frame

Values = NDArray[np.float64]
FRAME = Frame(720, 480, left=64, right=704, top=16, bottom=428)
SPREAD = 14.0  # pixels that equal values are spread over, at most
FEW = 40  # an axis with no more distinct values than this has its points spread
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
    """`index` says which of the values it shows."""

    x: float
    y: float
    index: int


@dataclass(frozen=True, slots=True)
class Square:
    """A bin that holds `count` candidates; `shade` from 1 (few) to SHADES (most)."""

    x: float
    y: float
    width: float
    height: float
    count: int
    shade: int
    gold: tuple[float, float]
    score: tuple[float, float]


def scatter_plane(
    gold: Values, scores: Values, metric: str, scale: tuple[float, float] | None = None
) -> ScatterPlane:
    """Axes over finite values, both of shape (n,), n >= 1; `scale` is the ratings', if known."""
    low, high = scale or (float(gold.min()), float(gold.max()))
    x = FRAME.across(min(low, float(gold.min())), max(high, float(gold.max())), 8)
    y = FRAME.up(float(scores.min()), float(scores.max()), 6)
    pad_x, pad_y = _spread(gold, x), _spread(scores, y)
    x = replace(x, start=x.start + SPREAD, end=x.end - SPREAD)
    y = replace(y, start=y.start - SPREAD, end=y.end + SPREAD)
    frame = FRAME.ticked(x.ticks(), y.ticks(), "people's score", metric)
    return ScatterPlane(x, y, frame, pad_x, pad_y)


def points(plane: ScatterPlane, gold: Values, scores: Values) -> list[Point]:
    """A point for each pair of values; equal ones are spread by a fixed rule, not by chance."""
    at = np.arange(len(gold))
    # Multiples of the golden ratio fill [0, 1) evenly, however many of them are taken.
    aside = (at * GOLDEN % 1.0 - 0.5) * 2 * plane.spread_x
    above = (at * GOLDEN * GOLDEN % 1.0 - 0.5) * 2 * plane.spread_y
    return [
        Point(
            round(plane.x.place(float(gold[i])) + float(aside[i]), 1),
            round(plane.y.place(float(scores[i])) + float(above[i]), 1),
            int(i),
        )
        for i in at
    ]


def density(plane: ScatterPlane, gold: Values, scores: Values) -> list[Square]:
    """Squares that hold at least one candidate, shaded by the logarithm of how many."""
    counts, x_edges, y_edges = np.histogram2d(
        gold,
        scores,
        bins=BINS,
        range=((plane.x.low, plane.x.high), (plane.y.low, plane.y.high)),
    )
    most = np.log1p(counts.max())
    squares = []
    for i, j in np.argwhere(counts):
        left, right = plane.x.place(x_edges[i]), plane.x.place(x_edges[i + 1])
        low, high = plane.y.place(y_edges[j]), plane.y.place(y_edges[j + 1])
        count = int(counts[i, j])
        squares.append(
            Square(
                left,
                high,
                round(right - left, 2),
                round(low - high, 2),
                count,
                int(np.ceil(SHADES * np.log1p(count) / most)),
                (float(x_edges[i]), float(x_edges[i + 1])),
                (float(y_edges[j]), float(y_edges[j + 1])),
            )
        )
    return squares


def _spread(values: Values, axis: Axis) -> float:
    """Pixels either side over which equal values are spread: none where few are equal."""
    distinct = np.unique(values)
    if len(distinct) > FEW or len(distinct) == len(values):
        return 0.0
    if len(distinct) == 1:
        return SPREAD
    nearest = float(np.diff(distinct).min()) * abs(axis.end - axis.start) / (axis.high - axis.low)
    return min(SPREAD, 0.4 * nearest)
