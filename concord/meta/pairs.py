"""Accuracy on minimal pairs: how often a metric scores the better candidate higher."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concord.arrays import Floats, Integers
from concord.documents.statistics import PairsRow, PhenomenonRow
from concord.inference import Estimate, clustered_share


def pair_points(better: Floats, worse: Floats) -> Floats:
    """The points of each pair: 1 where `better` is higher, 0.5 for a tie (MOCHA's evaluation
    script), else 0; 0 for a missing score. Both arrays have the same shape, with scores oriented so
    that higher is better. Raises ValueError for different shapes."""
    if better.shape != worse.shape:
        raise ValueError(f"better {better.shape} and worse {worse.shape} must have one shape")
    return np.where(better > worse, 1.0, np.where(better == worse, 0.5, 0.0))


def pair_accuracy(better: Floats, worse: Floats, clusters: Integers | None = None) -> Estimate:
    """The mean of `pair_points` of P pairs, in [0, 1], with an interval clustered by passage.

    clusters: int64 (P,), the pairs' passages; None takes every pair as one of its own. The interval
    is that of `concord.inference.clustered_share`. Undefined without pairs, and where the metric
    scored none of them.
    """
    points = pair_points(better, worse)
    if not len(points):
        return Estimate(None, reason="there are no minimal pairs")
    if not np.isfinite(better).any() and not np.isfinite(worse).any():
        return Estimate(None, reason="the metric scored none of the pairs")
    return clustered_share(points, np.arange(len(points)) if clusters is None else clusters)


def pairs_by_phenomenon(
    better: Floats, worse: Floats, phenomena: NDArray[np.str_], clusters: Integers
) -> PairsRow:
    """`pair_accuracy` of all pairs and of each phenomenon, in the board's JSON form."""
    figure = pair_accuracy(better, worse, clusters)
    if figure.value is None:
        return {"n": len(better), "accuracy": None, "value": None, "reason": figure.reason}
    by_phenomenon: dict[str, PhenomenonRow] = {}
    for phenomenon in sorted(set(phenomena.tolist()) - {""}):
        mask = phenomena == phenomenon
        part = pair_accuracy(better[mask], worse[mask], clusters[mask])
        by_phenomenon[phenomenon] = {
            "n": int(mask.sum()),
            "accuracy": part.value,
            "ci": part.to_json().get("ci"),
        }
    return {
        "n": len(better),
        "accuracy": figure.value,
        "ci": figure.to_json().get("ci"),
        "by_phenomenon": by_phenomenon,
    }
