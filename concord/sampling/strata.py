"""Strata of units."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from concord.arrays import Floats, Integers
from concord.estimation.slopes import standardised
from concord.sampling.population import Population

StratifyBy = Literal["score", "system", "constituent"]
STRATIFY_BY: tuple[StratifyBy, ...] = get_args(StratifyBy)
SCORE_GROUPS = 5


def unit_strata(population: Population, by: StratifyBy) -> Integers:
    """The stratum of each unit, (M,), codes from 0.

    score: groups of equal size by the mean standardised score. system: units with candidates of the
    same systems. constituent: the constituents of the set.
    """
    if by == "score":
        return quantile_groups(population.unit_means(standard_scores(population).mean(axis=1)))
    if by == "constituent":
        return np.unique(population.groups, return_inverse=True)[1].astype(np.int64)
    has = np.zeros((population.size, len(population.names)), dtype=bool)
    has[population.units, population.systems] = True
    return np.unique(has, axis=0, return_inverse=True)[1].astype(np.int64)


def standard_scores(population: Population) -> Floats:
    """The scores with mean 0 and standard deviation 1, (N, k); 0 for a metric without variance."""
    return standardised(population.scores)[0]


def quantile_groups(values: Floats, groups: int = SCORE_GROUPS) -> Integers:
    """Groups of about equal size by value, (M,), codes from 0; equal values are in one group."""
    edges = np.unique(np.quantile(values, np.linspace(0, 1, groups + 1)[1:-1]))
    return np.searchsorted(edges, values, side="left").astype(np.int64)
