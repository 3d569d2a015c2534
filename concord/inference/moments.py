"""Pearson's r as a function of sums by cluster, for resamples and the jackknife."""

from __future__ import annotations

import numpy as np

from concord.arrays import Floats, Integers
from concord.inference.resampling import sums_by_cluster

# A variance below this share of the mean square is rounding.
_EDGE = 1e-12


def moment_sums(x: Floats, y: Floats, clusters: Integers, weights: Floats | None = None) -> Floats:
    """Sums by cluster for `pearson_of_sums`, (6, M, G), of M rows x, (M, n), and y, (n,), of items
    that count `weights` times, (n,); once without.

    Each side is centred and scaled first, which leaves r as it is, so that values far from 0, or
    near it, lose no digits.
    """
    a, b = (_standardised(side) for side in (x, y))
    b = np.broadcast_to(b, a.shape)
    moments = np.stack([np.ones_like(a), a, b, a * a, b * b, a * b])
    return sums_by_cluster(moments if weights is None else weights * moments, clusters)


def pearson_of_sums(totals: Floats) -> Floats:
    """Pearson's r of totals (6, ...) of `moment_sums`, (...), in [-1, 1]; NaN where either side
    does not vary."""
    n, a, b, aa, bb, ab = totals
    of_a, of_b = n * aa - a * a, n * bb - b * b
    varies = (of_a > _EDGE * n * aa) & (of_b > _EDGE * n * bb)
    r = np.full(n.shape, np.nan)
    np.divide(n * ab - a * b, np.sqrt(np.where(varies, of_a * of_b, 1.0)), out=r, where=varies)
    return np.asarray(np.clip(r, -1.0, 1.0))


def _standardised(values: Floats) -> Floats:
    """Along the last axis; rows of equal values are 0."""
    centred = values - values.mean(axis=-1, keepdims=True)
    spread = np.ptp(values, axis=-1, keepdims=True)
    out = np.zeros_like(centred)
    return np.asarray(np.divide(centred, spread, out=out, where=spread > 0))
