"""How far one gold score can move a correlation."""

from __future__ import annotations

import numpy as np

from concord.arrays import Floats


def label_influence(
    scores: Floats, gold: Floats, low: float, high: float, weights: Floats | None = None
) -> float:
    """The most by which Pearson's r changes when one gold score takes another value.

    scores, gold: (n,). low, high: the ends of the scale; all its values are considered, not only
    those that occur. weights: (n,), above 0, of a weighted r; None where all count alike. Returns 0
    or more; infinity where r is undefined, or one value would make it so.

    As a function of one gold score x, r is (a + b x) / sqrt(c + d x + e x^2). It has one stationary
    point, so that its range over the scale follows from three values.
    """
    w = np.full(len(gold), 1.0) if weights is None else weights
    w = w / w.sum()
    mean = w @ gold
    s, g = scores - w @ scores, gold - mean
    spread = np.sqrt(w @ (s * s))
    if not np.isfinite(spread) or spread == 0:
        return float("inf")
    s = s / spread
    variance = w @ (g * g)
    a, b = w @ (s * g) - w * s * g, w * s
    c, d, e = variance - w * g * g - (w * g) ** 2, 2 * w * w * g, w - w * w
    with np.errstate(divide="ignore", invalid="ignore"):
        stationary = (a * d / 2 - b * c) / (b * d / 2 - a * e)
        low, high = low - mean, high - mean
        inner = np.clip(np.nan_to_num(stationary, nan=low), low, high)
        values = np.stack([np.full_like(inner, low), inner, np.full_like(inner, high)])
        r = (a + b * values) / np.sqrt(c + d * values + e * values * values)
    largest = np.ptp(r, axis=0).max()
    return float(largest) if np.isfinite(largest) else float("inf")


def largest_share(scores: Floats) -> float:
    """The share of the scores' variance that is due to the one score farthest from their mean.

    scores: (n,). At least 1 / n, and near 1 where a single score differs from the others; 1 where
    none does.
    """
    squares = (scores - scores.mean()) ** 2
    total = squares.sum()
    return float(squares.max() / total) if total > 0 else 1.0
