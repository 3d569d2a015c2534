"""Accuracy on minimal pairs: how often a metric scores the better candidate higher."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concord.documents.statistics import PairsRow, PhenomenonRow
from concord.inference import Estimate, wilson


def pair_accuracy(better: NDArray[np.float64], worse: NDArray[np.float64]) -> Estimate:
    """Share of pairs, in [0, 1], in which the better candidate has the higher score.

    `better` and `worse` have shape (n_pairs,), oriented so that higher is better. A tie counts half
    a point (MOCHA's evaluation script), a missing score as wrong. Interval: Wilson's, 95%.
    """
    if better.shape != worse.shape or better.ndim != 1:
        raise ValueError(f"better {better.shape} and worse {worse.shape} must be one vector each")
    if not len(better):
        return Estimate(None, reason="there are no minimal pairs")
    if not np.isfinite(better).any() and not np.isfinite(worse).any():
        return Estimate(None, reason="the metric scored none of the pairs")
    points = float(np.count_nonzero(better > worse) + 0.5 * np.count_nonzero(better == worse))
    accuracy = points / len(better)
    return Estimate(accuracy, *wilson(accuracy, len(better)), n=len(better))


def pairs_by_phenomenon(
    better: NDArray[np.float64], worse: NDArray[np.float64], phenomena: NDArray[np.str_]
) -> PairsRow:
    """`pair_accuracy` of all pairs and of each phenomenon, in the board's JSON form."""
    figure = pair_accuracy(better, worse)
    if figure.value is None:
        return {"n": len(better), "accuracy": None, "value": None, "reason": figure.reason}
    by_phenomenon: dict[str, PhenomenonRow] = {}
    for phenomenon in sorted(set(phenomena.tolist()) - {""}):
        mask = phenomena == phenomenon
        figure_of_phenomenon = pair_accuracy(better[mask], worse[mask])
        by_phenomenon[phenomenon] = {
            "n": int(mask.sum()),
            "accuracy": figure_of_phenomenon.value,
            "ci": list(figure_of_phenomenon.ci) if figure_of_phenomenon.ci else None,
        }
    return {
        "n": len(better),
        "accuracy": figure.value,
        "ci": list(figure.ci or ()),
        "by_phenomenon": by_phenomenon,
    }
