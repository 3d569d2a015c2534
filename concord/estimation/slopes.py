"""Cross-fitted regression of ratings on metric scores: each passage is a fold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.arrays import Floats, Integers
from concord.estimation.sample import EstimationSample

PENALTY = 1.0
"""Ridge penalty on standardised scores; it weighs as much as one observation with slope 0."""
ROUNDING = 1e-12
"""A metric that varies less, as a share of its largest score, is constant."""


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Regression of outcomes on scores, fitted for each candidate without its own passage.

    slopes: (N, k), of outcomes on scores. outcome_means, score_means: (N,) and (N, k), means over
    the rated candidates of the same system in other passages; over all systems where there are
    none. scores: (N, k).
    """

    slopes: Floats
    outcome_means: Floats
    score_means: Floats
    scores: Floats

    @property
    def predictions(self) -> Floats:
        """The predicted outcome of each candidate, (N,)."""
        distances = self.scores - self.score_means
        return np.asarray(self.outcome_means + np.einsum("nk,nk->n", self.slopes, distances))

    @property
    def slope_part(self) -> Floats:
        """The slopes times the scores, (N,): the predictions without the means."""
        return np.asarray(np.einsum("nk,nk->n", self.slopes, self.scores))


def cross_fit(sample: EstimationSample, weights: Floats | None = None) -> CrossFit:
    """Regress outcomes on scores; for each candidate, on the rated candidates of other passages.

    Leaving out the whole passage keeps a prediction independent of the ratings that it adjusts.
    Ridge regression with an intercept for each system and common slopes, so that few ratings for
    each of many systems are enough. The scores are standardised over all candidates. weights: (N,),
    of the rated candidates; their scale does not matter.
    """
    standard, centre, scale = standardised(sample.scores)
    rated = np.flatnonzero(sample.is_rated)
    x = standard[rated]
    of_rated = np.ones(len(rated)) if weights is None else weights[rated] / weights[rated].mean()
    passage_names, passages = np.unique(sample.passages, return_inverse=True)
    systems, count = len(sample.names), len(passage_names)
    # One cell for each passage and system. Leaving a passage out subtracts its cells' moments.
    all_cells = passages * systems + sample.systems
    names, cells = np.unique(all_cells[rated], return_inverse=True)
    y, weighted = sample.outcomes[rated], x * of_rated[:, None]
    # Of weights, and weighted sums of x, y, x x' and x y.
    parts = (
        *(of_rated, weighted, y * of_rated),
        *(weighted[:, :, None] * x[:, None, :], weighted * y[:, None]),
    )
    moments = tuple(_sum_by(cells, len(names), part) for part in parts)
    cell_system, cell_passage = names % systems, names // systems
    totals = [_sum_by(cell_system, systems, part) for part in moments]
    full_xx, full_xy = _centred(*totals)
    rest = [total[cell_system] - part for total, part in zip(totals, moments, strict=True)]
    rest_xx, rest_xy = _centred(*rest)
    xx = full_xx.sum(axis=0) + _sum_by(cell_passage, count, rest_xx - full_xx[cell_system])
    xy = full_xy.sum(axis=0) + _sum_by(cell_passage, count, rest_xy - full_xy[cell_system])
    slopes = np.linalg.solve(xx + PENALTY * np.eye(x.shape[1]), xy[:, :, None])[:, :, 0]
    means = _means(totals, [total.sum(axis=0) for total in totals])
    rest_means = _means(rest, [total.sum(axis=0) for total in totals])
    outcome_means, score_means = (each[sample.systems] for each in means)
    positions = np.minimum(np.searchsorted(names, all_cells), len(names) - 1)
    own = np.flatnonzero(names[positions] == all_cells)
    outcome_means[own] = rest_means[0][positions[own]]
    score_means[own] = rest_means[1][positions[own]]
    return CrossFit(
        np.asarray(slopes[passages] / scale),
        outcome_means,
        np.asarray(score_means * scale + centre),
        sample.scores,
    )


def standardised(scores: Floats) -> tuple[Floats, Floats, Floats]:
    """(scores with mean 0 and standard deviation 1, means, standard deviations) of each metric, (N,
    k) and (k,); 0, with a standard deviation of 1, for one that varies by rounding alone."""
    centre, spread = scores.mean(axis=0), scores.std(axis=0)
    varies = spread > ROUNDING * np.abs(scores).max(axis=0, initial=0.0)
    scale = np.where(varies, spread, 1.0)
    return np.where(varies, (scores - centre) / scale, 0.0), centre, scale


def _means(parts: list[Floats], pooled: list[Floats]) -> tuple[Floats, Floats]:
    """Means of y and x of each group, from weights and sums; pooled means for an empty group."""
    is_empty = parts[0] <= 1e-9 * pooled[0]
    size = np.where(is_empty, pooled[0], parts[0])
    x = np.where(is_empty[:, None], pooled[1], parts[1])
    y = np.where(is_empty, pooled[2], parts[2])
    return np.asarray(y / size), np.asarray(x / size[:, None])


def _sum_by(codes: Integers, count: int, values: Floats) -> Floats:
    """Sums of rows with the same code, (count, ...)."""
    flat = values.reshape(len(values), -1)
    sums = [np.bincount(codes, column, minlength=count) for column in flat.T]
    stacked: Floats = np.stack(sums, axis=1).astype(np.float64)
    return stacked.reshape(count, *values.shape[1:])


def _centred(n: Floats, x: Floats, y: Floats, xx: Floats, xy: Floats) -> tuple[Floats, Floats]:
    """Sums of squares and products about the mean, from sums; zero for an empty group."""
    size = np.where(n > 1e-9, n, 1.0)  # a sum of weights less itself is not quite 0
    return (xx - x[:, :, None] * x[:, None, :] / size[:, None, None], xy - x * (y / size)[:, None])
