"""System-level agreement: figures over the systems' mean scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from concord.arrays import Counts, Floats, Integers
from concord.inference import Estimate
from concord.meta.correlation import pearson_rows
from concord.meta.groups import ratio
from concord.meta.inference.bootstrap import Resample, resample_steps, resampled_units
from concord.meta.inference.draws import Steps
from concord.meta.inference.figures import MetricFigures
from concord.meta.inference.sample import ScoredSample

SystemFigure = Literal["pearson", "spearman", "kendall_b", "r_squared", "pairwise_accuracy"]
MIN_SYSTEMS = 3


@dataclass(frozen=True, eq=False)
class SystemMeans:
    """Means of S systems over their judged candidates.

    gold: (S,). scores: (M, S), NaN for a metric with a missing score. sizes: int64 (S,), number of
    judged candidates.
    """

    systems: tuple[str, ...]
    gold: Floats
    scores: Floats
    sizes: Integers


def system_means(sample: ScoredSample) -> SystemMeans:
    """Means of the gold and metric scores of each known system, over its judged candidates."""
    groups = sample.groups("sys")
    scores = groups.sums(sample.filled_scores[:, groups.order]) / groups.sizes
    scores[sample.missing > 0] = np.nan
    gold = groups.sums(sample.gold[groups.order]) / groups.sizes
    names = tuple(sample.system_names[code] for code in groups.codes)
    return SystemMeans(names, gold, scores, groups.sizes)


def system_correlations(sample: ScoredSample, figure: SystemFigure) -> list[Estimate]:
    """The figure of every metric over systems' means; higher is better.

    "pearson", "spearman", "kendall_b": in [-1, 1]. "r_squared": Pearson's r squared, in [0, 1],
    which does not tell agreement from its opposite. "pairwise_accuracy": the share of pairs of
    systems that the metric orders as people do, half a point where the metric ties them, without
    the pairs that people tie (Kocmi et al. 2021, To Ship or Not to Ship). Undefined below three
    systems (two for pairs), and as candidates' figures are.
    """
    means = system_means(sample)
    min_systems = 2 if figure == "pairwise_accuracy" else MIN_SYSTEMS
    scores = np.where(np.isnan(means.scores), 0.0, means.scores)
    values = FIGURES[figure](scores[None], means.gold[None])[0]
    rows = []
    for m, value in enumerate(values.tolist()):
        if len(means.systems) < min_systems:
            reason = f"too few systems: {len(means.systems)} ({min_systems} are needed)"
        elif not (reason := sample.undefined_reason(m)) and np.isnan(value):
            constant = bool(np.all(means.gold == means.gold[0]))
            reason = f"{'people' if constant else 'the metric'} gave every system the same mean"
        rows.append(Estimate(None, reason=reason) if reason else Estimate(value))
    return rows


def system_bootstrap_steps(
    sample: ScoredSample,
    figure: SystemFigure,
    resample: Resample = "both",
    *,
    rng: np.random.Generator,
    draws: int = 1000,
) -> Steps[MetricFigures]:
    """`system_correlations` with their bootstrap, in steps of a block of draws; see
    `bootstrap_steps`. The figure of a draw is undefined where a system has no candidate in it, or
    all systems the same mean."""
    units, groups, m = resampled_units(sample, resample), sample.groups("sys"), len(sample.metrics)
    table = np.concatenate([sample.filled_scores, [sample.gold], np.ones((1, sample.n))])
    table, cluster = table[:, groups.order], sample.clusters[groups.order]

    def resampled(passages: Counts | None, systems: Counts | None) -> Floats:
        once = np.ones((1, len(cluster)), dtype=np.int32)
        weights = once if passages is None else passages.take(cluster, axis=1)
        sums = np.empty((len(groups), m + 2, len(weights)))
        for which, part in groups.weighted_sums(table, weights):
            sums[which] = part
        with np.errstate(divide="ignore", invalid="ignore"):
            means = (sums[:, : m + 1] / sums[:, m + 1 :]).transpose(2, 1, 0)
        if systems is not None:
            drawn = np.stack([np.repeat(np.arange(len(groups)), counts) for counts in systems])
            means = np.broadcast_to(means, (len(drawn), *means.shape[1:]))
            means = np.take_along_axis(means, drawn[:, None], axis=2)
        values = FIGURES[figure](means[:, :m], means[:, m])
        values[np.isnan(means[:, m]).any(axis=1)] = np.nan
        return values

    values = yield from resample_steps(sample, resample, resampled, rng=rng, draws=draws)
    values[:, ~sample.has_figures] = np.nan
    figures = system_correlations(sample, figure)
    return MetricFigures(
        metrics=sample.metrics,
        observed=np.array([np.nan if one.value is None else one.value for one in figures]),
        values=values,
        units=units,
        scale="correlation" if figure in CORRELATIONS else "share",
        reasons=[one.reason for one in figures],
    )


def _signs(x: Floats) -> Floats:
    """Signs of all differences along the last axis: (..., S) to (..., S, S)."""
    return np.asarray(np.sign(x[..., :, None] - x[..., None, :]))


def _pearson(x: Floats, y: Floats) -> Floats:
    return pearson_rows(x, y[:, None])


def _spearman(x: Floats, y: Floats) -> Floats:
    # Sums of signs are twice the mid-ranks less a constant.
    return _pearson(_signs(x).sum(axis=3), _signs(y).sum(axis=2))


def _kendall_b(x: Floats, y: Floats) -> Floats:
    return _pearson(*(_signs(side).reshape(*side.shape[:-1], -1) for side in (x, y)))


def _r_squared(x: Floats, y: Floats) -> Floats:
    return np.asarray(_pearson(x, y) ** 2)


def _pairwise_accuracy(x: Floats, y: Floats) -> Floats:
    a, b = _signs(x), _signs(y)[:, None]
    points = np.where(b == 0, 0.0, np.where(a == b, 1.0, np.where(a == 0, 0.5, 0.0)))
    return ratio(points.sum(axis=(2, 3)), (b != 0).sum(axis=(2, 3)).astype(np.float64))


CORRELATIONS: tuple[SystemFigure, ...] = ("pearson", "spearman", "kendall_b")
"""The figures in [-1, 1]; the others are in [0, 1]."""
# Of metrics' means (D, M, S) and people's (D, S): (D, M); NaN where either does not vary.
FIGURES: dict[SystemFigure, Callable[[Floats, Floats], Floats]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall_b": _kendall_b,
    "r_squared": _r_squared,
    "pairwise_accuracy": _pairwise_accuracy,
}
