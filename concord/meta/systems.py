"""Means per system with cluster-robust intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from concord.meta.figures import Figure
from concord.tails import t_quantile


def clustered_mean(values: NDArray[np.float64], clusters: NDArray[np.int64]) -> Figure:
    """Mean of `values`, shape (n,), with a 95% interval robust to correlation within clusters.

    The variance of the mean is G / (G - 1) * sum_g (sum_{i in g} (v_i - mean))^2 / n^2 over the G
    clusters (passages), the cluster-robust form of Liang and Zeger (1986); the interval takes
    Student's t with G - 1 degrees of freedom. No interval with a single cluster; undefined
    without values or with a NaN among them.
    """
    if values.shape != clusters.shape or values.ndim != 1:
        raise ValueError(f"values {values.shape} and clusters {clusters.shape} must match")
    if not len(values):
        return Figure.undefined("there are no judged candidates")
    if not np.isfinite(values).all():
        return Figure.undefined("a score is missing")
    mean = float(values.mean())
    error, degrees = clustered_error(values, clusters)
    if not degrees:
        return Figure(mean)
    half = t_quantile(0.975, degrees) * error
    return Figure(mean, ci=(mean - half, mean + half))


def clustered_error(values: NDArray[np.float64], clusters: NDArray[np.int64]) -> tuple[float, int]:
    """(standard error of the mean as in `clustered_mean`, its degrees of freedom G - 1), of finite
    `values`, shape (n,), n >= 1; (0, 0) with a single cluster."""
    _, codes = np.unique(clusters, return_inverse=True)
    groups = int(codes.max()) + 1
    if groups < 2:
        return 0.0, 0
    sums = np.bincount(codes, weights=values - float(values.mean()))
    variance = groups / (groups - 1) * float(np.sum(sums**2)) / len(values) ** 2
    return math.sqrt(variance), groups - 1
