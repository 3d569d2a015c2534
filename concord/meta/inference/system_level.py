"""System-level agreement: figures over the systems' mean scores."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from concord.arrays import Floats, Integers
from concord.inference import Estimate, Scale, resample_counts
from concord.inference.products import stacked_product
from concord.meta.correlation import pearson_rows
from concord.meta.groups import Groups, ratio
from concord.meta.inference.bootstrap import Bootstrap, Resample, check_resample, resampled_units
from concord.meta.inference.draws import Block, Progress, Steps, blocks, map_in_order
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
    metrics: tuple[str, ...]
    gold: Floats
    scores: Floats
    sizes: Integers


def system_means(sample: ScoredSample) -> SystemMeans:
    """Means of the gold and metric scores of each known system, over its judged candidates."""
    groups = sample.groups("sys")
    scores = groups.sums(sample.filled_scores[:, groups.order]) / groups.sizes
    scores[sample.missing > 0] = np.nan
    return SystemMeans(
        systems=tuple(sample.system_names[code] for code in groups.codes),
        metrics=sample.metrics,
        gold=groups.sums(sample.gold[groups.order]) / groups.sizes,
        scores=scores,
        sizes=groups.sizes,
    )


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
    executor: Executor | None = None,
) -> Steps[Bootstrap]:
    """The bootstrap of a system-level figure, in steps of a block of draws; see `bootstrap_steps`.

    The figure of a draw is undefined where a system has no candidate in it, or all systems the same
    mean.
    """
    check_resample(sample, resample)
    draw_blocks = blocks(rng, draws)
    values = np.empty((draws, len(sample.metrics)))
    task = partial(_block_figures, sample, figure, resample)
    for done, block_values in enumerate(map_in_order(task, draw_blocks, executor)):
        values[draw_blocks[done].rows] = block_values
        yield Progress(done + 1, len(draw_blocks))
    values[:, ~sample.has_figures] = np.nan
    observed = np.array(
        [np.nan if f.value is None else f.value for f in system_correlations(sample, figure)]
    )
    scale: Scale = "correlation" if figure in CORRELATIONS else "share"
    units = resampled_units(sample, resample)
    return Bootstrap(
        metrics=sample.metrics,
        observed=observed,
        values=values,
        resample=resample,
        units=units,
        scale=scale,
    )


def _block_figures(
    sample: ScoredSample, figure: SystemFigure, resample: Resample, block: Block
) -> Floats:
    groups = sample.groups("sys")
    if resample == "systems":
        weights = np.ones((block.size, sample.n))
    else:
        passages = resample_counts(block.rng, block.size, int(sample.clusters.max()) + 1)
        weights = passages.take(sample.clusters, axis=1).astype(np.float64)
    gold, scores = _weighted_means(sample, groups, weights)
    if resample != "instances":
        drawn = block.rng.integers(len(groups), size=(block.size, len(groups)))
        gold = np.take_along_axis(gold, drawn, axis=1)
        scores = np.take_along_axis(scores, drawn[:, None], axis=2)
    is_undefined = np.isnan(gold).any(axis=1)
    values = FIGURES[figure](scores, gold)
    values[is_undefined] = np.nan
    return values


def _weighted_means(sample: ScoredSample, groups: Groups, weights: Floats) -> tuple[Floats, Floats]:
    """Gold's means (D, S) and the metrics' (D, M, S) under weights (D, n)."""
    m, order = len(sample.metrics), groups.order
    table = np.concatenate([sample.filled_scores, [sample.gold], np.ones((1, sample.n))])[:, order]
    sums = np.empty((len(groups), m + 2, len(weights)))
    sorted_weights = weights.take(order, axis=1)
    for which, positions in groups.buckets(len(table) * len(weights)):
        sums[which] = stacked_product(
            table[:, positions].transpose(1, 0, 2), sorted_weights[:, positions].transpose(1, 2, 0)
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (sums[:, : m + 1] / sums[:, m + 1 :]).transpose(2, 1, 0)
    return means[:, m], means[:, :m]


def _pearson(x: Floats, y: Floats) -> Floats:
    """r of (D, M, S) with (D, S): (D, M); NaN where either does not vary."""
    return pearson_rows(x, y[:, None])


def _signs(x: Floats) -> Floats:
    """Signs of all differences along the last axis: (..., S) to (..., S, S)."""
    return np.asarray(np.sign(x[..., :, None] - x[..., None, :]))


def _spearman(x: Floats, y: Floats) -> Floats:
    # Sums of signs are twice the mid-ranks less a constant.
    return _pearson(_signs(x).sum(axis=3), _signs(y).sum(axis=2))


def _kendall_b(x: Floats, y: Floats) -> Floats:
    a, b = _signs(x), _signs(y)[:, None]
    scale = np.sqrt((a * a).sum(axis=(2, 3)) * (b * b).sum(axis=(2, 3)))
    agreement = (a * b).sum(axis=(2, 3))
    return ratio(agreement, scale)


def _r_squared(x: Floats, y: Floats) -> Floats:
    return np.asarray(_pearson(x, y) ** 2)


def _pairwise_accuracy(x: Floats, y: Floats) -> Floats:
    a, b = _signs(x), _signs(y)[:, None]
    ordered = (b != 0).sum(axis=(2, 3)).astype(np.float64)
    points = ((a == b) & (b != 0)).sum(axis=(2, 3)) + 0.5 * ((a == 0) & (b != 0)).sum(axis=(2, 3))
    return ratio(points, ordered)


CORRELATIONS: tuple[SystemFigure, ...] = ("pearson", "spearman", "kendall_b")
"""The figures in [-1, 1]; the others are in [0, 1]."""
FIGURES: dict[SystemFigure, Callable[[Floats, Floats], Floats]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall_b": _kendall_b,
    "r_squared": _r_squared,
    "pairwise_accuracy": _pairwise_accuracy,
}
