"""How much a unit's ratings are expected to differ from what the metrics predict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from concord.estimation.sample import Sample
from concord.estimation.slopes import cross_fit
from concord.sampling.population import Population
from concord.sampling.strata import quantile_groups, standard_scores

MIN_HISTORY = 10
"""Rated units that are needed before errors are learned from them."""
PRIOR_RATINGS = 10.0
"""How many rated candidates the mean over all groups counts as, in each group's mean."""
GROUPS = 10


def expected_errors(
    population: Population,
    outcomes: NDArray[np.float64],
    aim: str,
    systems: Sequence[str] = (),
) -> NDArray[np.float64]:
    """The root of the expected squared error of each unit, (M,), in any scale.

    The error of a unit is its part in the error of the estimate: for "mean", of each system's mean;
    for "difference", of the difference of two `systems`; for "ranking", of the differences of
    neighbours in the ranking, the closest counting most. It is learned from the residuals of rated
    candidates: by groups of the predicted rating and, with several metrics, of their disagreement.
    With fewer than MIN_HISTORY rated units, and for "metrics", it is the disagreement of the
    metrics; with one metric, equal for all.
    """
    scores = standard_scores(population)
    disagreement = scores.var(axis=1)
    is_rated = population.rated_units(outcomes)
    if aim == "metrics" or np.count_nonzero(is_rated) < MIN_HISTORY:
        squares = disagreement if disagreement.any() else np.ones(len(disagreement))
        return np.asarray(np.sqrt(population.unit_means(squares)))
    fit = cross_fit(
        Sample(
            np.where(is_rated[population.units], outcomes, np.nan), population.scores,
            population.systems, population.passages, population.names, population.metrics,
        )
    )  # fmt: skip
    rated = is_rated[population.units]
    squares = _expected_squares(
        (outcomes[rated] - fit.predictions[rated]) ** 2, rated, [fit.predictions, disagreement]
    )
    weights = _system_weights(population, fit.predictions, squares, aim, systems)
    parts = np.bincount(
        population.units, weights[population.systems] * squares, minlength=population.size
    )
    return np.asarray(np.sqrt(parts))


def _expected_squares(
    squares: NDArray[np.float64], rated: NDArray[np.bool_], features: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """The expected squared residual of each candidate, (N,), from those of the rated ones (n,).

    The mean, times a factor for the group of each feature; later ones explain what is left.
    """
    expected = np.full(len(rated), squares.mean())
    if not squares.mean() > 0:
        return np.ones(len(rated))
    for values in features:
        groups = quantile_groups(values, GROUPS)
        n = np.bincount(groups[rated], minlength=groups.max() + 1)
        sums = np.bincount(groups[rated], squares / expected[rated], minlength=len(n))
        expected *= ((sums + PRIOR_RATINGS) / (n + PRIOR_RATINGS))[groups]
    return expected


def _system_weights(
    population: Population,
    predictions: NDArray[np.float64],
    squares: NDArray[np.float64],
    aim: str,
    systems: Sequence[str],
) -> NDArray[np.float64]:
    """How much the squared error of a rating of each system counts, (S,)."""
    n = len(population.names)
    counts = np.bincount(population.systems, minlength=n)
    weights = 1 / counts.astype(np.float64) ** 2
    if aim == "difference":
        return weights * [name in systems for name in population.names]
    if aim != "ranking" or n == 1:
        return weights
    means = np.bincount(population.systems, predictions, minlength=n) / counts
    noise = np.bincount(population.systems, squares, minlength=n) / counts**2
    order = np.argsort(means, kind="stable")
    gaps, noise = np.diff(means[order]) ** 2, noise[order[1:]] + noise[order[:-1]]
    closeness = 1 / (gaps + noise)
    total = np.zeros(n)
    total[order[1:]] += closeness
    total[order[:-1]] += closeness
    return np.asarray(weights * total)
