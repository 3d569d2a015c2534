"""The expected error of the metrics' predictions for each unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.estimation.slopes import cross_fit, standardised
from concord.sampling.population import Population

MIN_HISTORY = 10
"""With fewer rated units, errors are not estimated from residuals."""
PRIOR_RATINGS = 10.0
"""Weight of the overall mean in each group's mean, in rated candidates."""
GROUPS = 10


def expected_errors(
    population: Population, outcomes: Floats, aim: str, systems: Sequence[str] = ()
) -> Floats:
    """The square root of each unit's expected squared error, (M,), up to a common factor.

    A unit's error is its contribution to the error of the estimate at which `aim` is directed:

    - "mean": each system's mean.
    - "difference": the difference of two `systems`.
    - "ranking": the differences of neighbours in the ranking; closer neighbours weigh more.
    - "metrics": the comparison of the metrics.

    It is estimated from the squared residuals of rated candidates, by groups of equal size of the
    predicted rating and, with several metrics, of the variance of their standardised scores. With
    fewer than MIN_HISTORY rated units, and for "metrics", it is that variance itself; with a single
    metric all units are then equal.
    """
    scores = standard_scores(population)
    disagreement = scores.var(axis=1)
    is_rated = population.rated_units(outcomes)
    if aim == "metrics" or np.count_nonzero(is_rated) < MIN_HISTORY:
        squares = disagreement if disagreement.any() else np.ones(len(disagreement))
        return np.asarray(np.sqrt(population.unit_means(squares)))
    fit = cross_fit(population.sample(np.where(is_rated[population.units], outcomes, np.nan)))
    rated = is_rated[population.units]
    squares = _expected_squares(
        (outcomes[rated] - fit.predictions[rated]) ** 2, rated, [fit.predictions, disagreement]
    )
    weights = _system_weights(population, fit.predictions, squares, aim, systems)
    parts = np.bincount(
        population.units, weights[population.systems] * squares, minlength=population.size
    )
    return np.asarray(np.sqrt(parts))


def _expected_squares(squares: Floats, rated: Booleans, features: list[Floats]) -> Floats:
    """The expected squared residual of each candidate, (N,), from those of the rated ones, (n,).

    The mean is multiplied by one factor for each feature: the ratio of observed to expected squares
    in the candidate's group. The factor of a feature is computed after those of earlier ones.
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
    population: Population, predictions: Floats, squares: Floats, aim: str, systems: Sequence[str]
) -> Floats:
    """The weight of a squared residual of each system, (S,)."""
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


def standard_scores(population: Population) -> Floats:
    """The scores with mean 0 and standard deviation 1, (N, k); 0 for a metric without variance."""
    return standardised(population.scores)[0]


def quantile_groups(values: Floats, groups: int) -> Integers:
    """Groups of about equal size by value, (M,), codes from 0; equal values are in one group."""
    edges = np.unique(np.quantile(values, np.linspace(0, 1, groups + 1)[1:-1]))
    return np.searchsorted(edges, values, side="left").astype(np.int64)
