"""Accuracies of metrics on minimal pairs, and the test of every two metrics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses.pair_scores import PairScores
from concord.inference import Estimate
from concord.meta.inference import mcnemar
from concord.meta.pairs import pair_accuracy


@dataclass(frozen=True)
class MetricAccuracies:
    """One metric run; a figure for the whole, and one for each constituent and phenomenon."""

    run: int
    metric: str
    multi_ref: str
    whole: Estimate
    constituents: list[Estimate]
    phenomena: list[Estimate]


@dataclass(frozen=True)
class PairAccuracies:
    """Accuracies on `n` pairs; constituents and phenomena are (name, number of pairs)."""

    n: int
    constituents: list[tuple[str, int]]
    phenomena: list[tuple[str, int]]
    rows: list[MetricAccuracies]


@dataclass(frozen=True)
class PairComparison:
    """Every two metrics on `n` pairs; metrics are (run, name, way with several references)."""

    n: int
    metrics: list[tuple[int, str, str]]
    accuracies: list[float]
    p: list[list[float]]


def accuracies(scores: PairScores) -> PairAccuracies:
    """`pair_accuracy` of each metric, by phenomenon and by constituent, best metric first."""
    constituents, phenomena = _names(scores.constituents), _names(scores.phenomena)
    rows = []
    for m, run in enumerate(scores.runs):

        def figure(mask: NDArray[np.bool_], m: int = m) -> Estimate:
            better, worse = scores.better[m, mask], scores.worse[m, mask]
            return pair_accuracy(better, worse, scores.clusters[mask])

        rows.append(
            MetricAccuracies(
                run=run.pk,
                metric=run.metric,
                multi_ref=run.multi_ref,
                whole=figure(np.ones(scores.n, dtype=bool)),
                constituents=[figure(scores.constituents == name) for name, _ in constituents],
                phenomena=[figure(scores.phenomena == name) for name, _ in phenomena],
            )
        )
    rows.sort(key=_sort_key)
    return PairAccuracies(scores.n, constituents, phenomena, rows)


def compare_metrics(scores: PairScores, phenomenon: str = "") -> PairComparison | None:
    """p-values of every two metrics (`mcnemar`), adjusted by Holm's method, best metric first.

    phenomenon: restricts the pairs; "" means all. None where there are no pairs or fewer than two
    metrics scored them.
    """
    mask = np.ones(scores.n, dtype=bool) if not phenomenon else scores.phenomena == phenomenon
    if not mask.any() or len(scores.runs) < 2:
        return None
    better, worse = scores.better[:, mask], scores.worse[:, mask]
    test = mcnemar(better, worse, scores.clusters[mask])
    defined = np.flatnonzero(~np.isnan(test.values))
    if len(defined) < 2:
        return None
    order = defined[np.argsort(-test.values[defined], kind="stable")]
    runs = [scores.runs[m] for m in order]
    return PairComparison(
        n=int(mask.sum()),
        metrics=[(run.pk, run.metric, run.multi_ref) for run in runs],
        accuracies=test.values[order].tolist(),
        p=test.p_holm[np.ix_(order, order)].tolist(),
    )


def _names(labels: NDArray[np.str_]) -> list[tuple[str, int]]:
    names, counts = np.unique(labels, return_counts=True)
    return [
        (name, n) for name, n in zip(names.tolist(), counts.tolist(), strict=True) if name != ""
    ]


def _sort_key(row: MetricAccuracies) -> tuple[bool, float, str]:
    value = row.whole.value
    return (value is None, -(value or 0.0), row.metric)
