"""Correlations of a metric with people where candidates have weights: each stands for others.

With design weights (Horvitz and Thompson 1952), a weighted figure estimates the figure of the whole
population from a sample that was drawn with unequal probabilities. With equal weights, each is the
figure of `concord.meta.correlation`. Intervals are of 95%, by a bootstrap over clusters, each of
which is drawn with its weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from concord.inference import (
    MIN_CLUSTERS,
    Estimate,
    resampled_estimate,
    too_few_clusters,
)
from concord.meta.correlation import kendall, pearson, spearman, undefined_figure

Floats = NDArray[np.float64]
DRAWS = 400
MAX_PAIRED = 3000
"""More candidates than this have no interval of Kendall's tau, which compares all pairs."""
BLOCK = 500
MAX_BLOCK_WEIGHTS = 2_000_000
"""Weights of draws that are held in memory at once."""


def weighted_pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Pearson's r with each row of weights, (draws,). weights: (draws, n), 0 or more; x, y: (n,),
    or (draws, n). NaN where either side does not vary."""
    total = weights.sum(axis=1)
    x, y = (
        side - ((weights * side).sum(axis=1) / total)[:, None] for side in np.broadcast_arrays(x, y)
    )
    norm = (weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1)
    r = np.full(len(weights), np.nan)
    # By rounding, the variance of equal values may be slightly above 0.
    varies = norm > 1e-20 * total**2
    np.divide((weights * x * y).sum(axis=1), np.sqrt(norm), out=r, where=varies)
    return np.asarray(np.clip(r, -1.0, 1.0))


def weighted_spearman(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Spearman's rho; a rank is the weight of smaller values plus half that of equal ones."""
    return weighted_pearson(_ranks(x, weights), _ranks(y, weights), weights)


def weighted_kendall(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Kendall's tau-b over all pairs, each with the product of its two weights."""
    concordance, of_x, of_y = (np.zeros(len(weights)) for _ in range(3))
    for start in range(0, len(x), BLOCK):
        rows = slice(start, start + BLOCK)
        signs_x = np.sign(x[rows, None] - x[None, :])
        signs_y = np.sign(y[rows, None] - y[None, :])
        for sums, signs in (
            (concordance, signs_x * signs_y),
            (of_x, np.abs(signs_x)),
            (of_y, np.abs(signs_y)),
        ):
            sums += ((weights[:, rows] @ signs) * weights).sum(axis=1)
    tau = np.full(len(weights), np.nan)
    np.divide(concordance, np.sqrt(of_x * of_y), out=tau, where=(of_x > 0) & (of_y > 0))
    return np.asarray(np.clip(tau, -1.0, 1.0))


PLAIN: dict[str, Callable[[Floats, Floats], Estimate]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}
WEIGHTED: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "pearson": weighted_pearson,
    "spearman": weighted_spearman,
    "kendall": weighted_kendall,
}


def weighted_figures(
    scores: Floats, gold: Floats, weights: Floats, clusters: NDArray[np.int64]
) -> dict[str, Estimate]:
    """The figures "pearson", "spearman" and "kendall" of the population that the weights stand for.

    All of shape (n,); weights above 0. Undefined where the unweighted figures are, without their
    values. There is no interval with fewer than MIN_CLUSTERS clusters, and no p-value.
    """
    undefined = undefined_figure(scores, gold, None)
    if undefined is not None:
        return dict.fromkeys(WEIGHTED, undefined)
    n_clusters = len(np.unique(clusters))
    names = [
        name
        for name in WEIGHTED
        if n_clusters >= MIN_CLUSTERS and (name != "kendall" or len(gold) <= MAX_PAIRED)
    ]
    draws: dict[str, list[Floats]] = {name: [] for name in names}
    for resampled in resampled_weights(weights, clusters):
        for name in names:
            draws[name].append(WEIGHTED[name](scores, gold, resampled))
    figures = {}
    for name, formula in WEIGHTED.items():
        value = float(formula(scores, gold, weights[None, :])[0])
        if name in draws:
            values = np.concatenate(draws[name])
            figures[name] = resampled_estimate(values, value, n_clusters, "correlation")
        else:
            reason = too_few_clusters(n_clusters) or f"more than {MAX_PAIRED:,} candidates"
            figures[name] = Estimate(value, clusters=n_clusters, unit="passages", reason=reason)
    return figures


def resampled_weights(
    weights: Floats, clusters: NDArray[np.int64], draws: int = DRAWS, seed: int = 0
) -> Iterator[Floats]:
    """The weights (n,) under resamples of clusters, in blocks (draws, n) that fit in memory.

    Resamples are the same for the same clusters and seed, so that figures can be compared draw by
    draw.
    """
    codes = np.unique(clusters, return_inverse=True)[1]
    n_clusters = int(codes.max()) + 1
    rng = np.random.default_rng(seed)
    block = max(1, MAX_BLOCK_WEIGHTS // len(weights))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        counts = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), size=size)
        yield counts[:, codes] * weights


def _ranks(values: Floats, weights: Floats) -> Floats:
    """The weighted mid-ranks with each row of weights, (draws, n)."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    start = np.searchsorted(ordered, values, side="left")
    end = np.searchsorted(ordered, values, side="right")
    sums = np.concatenate(
        [np.zeros((len(weights), 1)), np.cumsum(weights[:, order], axis=1)], axis=1
    )
    return np.asarray((sums[:, start] + sums[:, end]) / 2)
