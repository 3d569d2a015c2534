"""A metric against people: a point a candidate, or squares that count them where there are many."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.plots.axes import Axis, Tick

Values = NDArray[np.float64]
WIDTH, HEIGHT = 720, 480
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 16, 52
SPREAD = 14.0  # pixels that equal values are spread over, at most
FEW = 40  # an axis with no more distinct values than this has its points spread
GOLDEN = 0.6180339887498949
BINS = 32
SHADES = 6


@dataclass(frozen=True, slots=True)
class ScatterFrame:
    """The canvas: x is people's score, y the metric's. `spread_*` are pixels either side."""

    x: Axis
    y: Axis
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    spread_x: float
    spread_y: float
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


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


def scatter_frame(
    gold: Values, scores: Values, scale: tuple[float, float] | None = None
) -> ScatterFrame:
    """Axes over finite values, both of shape (n,), n >= 1; `scale` is the ratings', if known."""
    low, high = scale or (float(gold.min()), float(gold.max()))
    x = Axis.around(
        min(low, float(gold.min())), max(high, float(gold.max())), LEFT, WIDTH - RIGHT, 8
    )
    y = Axis.around(float(scores.min()), float(scores.max()), HEIGHT - BOTTOM, TOP, 6)
    pad_x, pad_y = _spread(gold, x), _spread(scores, y)
    x = replace(x, start=x.start + SPREAD, end=x.end - SPREAD)
    y = replace(y, start=y.start - SPREAD, end=y.end + SPREAD)
    return ScatterFrame(x, y, x.ticks(), y.ticks(), pad_x, pad_y)


def points(frame: ScatterFrame, gold: Values, scores: Values) -> list[Point]:
    """A point for each pair of values; equal ones are spread by a fixed rule, not by chance."""
    at = np.arange(len(gold))
    # Multiples of the golden ratio fill [0, 1) evenly, however many of them are taken.
    aside = (at * GOLDEN % 1.0 - 0.5) * 2 * frame.spread_x
    above = (at * GOLDEN * GOLDEN % 1.0 - 0.5) * 2 * frame.spread_y
    return [
        Point(
            round(frame.x.place(float(gold[i])) + float(aside[i]), 1),
            round(frame.y.place(float(scores[i])) + float(above[i]), 1),
            int(i),
        )
        for i in at
    ]


def density(frame: ScatterFrame, gold: Values, scores: Values) -> list[Square]:
    """Squares that hold at least one candidate, shaded by the logarithm of how many."""
    counts, x_edges, y_edges = np.histogram2d(
        gold,
        scores,
        bins=BINS,
        range=((frame.x.low, frame.x.high), (frame.y.low, frame.y.high)),
    )
    most = np.log1p(counts.max())
    squares = []
    for i, j in np.argwhere(counts):
        left, right = frame.x.place(x_edges[i]), frame.x.place(x_edges[i + 1])
        low, high = frame.y.place(y_edges[j]), frame.y.place(y_edges[j + 1])
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
