"""Sampling rules: the probability with which each unit is drawn next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.estimation.sample import EstimationError
from concord.sampling.expected_errors import expected_errors, quantile_groups, standard_scores
from concord.sampling.population import Population

RuleName = Literal["uniform", "stratified"]
RULES: tuple[RuleName, ...] = get_args(RuleName)
Aim = Literal["mean", "difference", "ranking", "metrics"]
"""The estimate whose error the draws reduce: systems' means, the difference of two systems, the
ranking of systems, or the comparison of metrics."""
AIMS: tuple[Aim, ...] = get_args(Aim)
StratifyBy = Literal["score", "system", "constituent"]
STRATIFY_BY: tuple[StratifyBy, ...] = get_args(StratifyBy)
SCORE_GROUPS = 5
MIN_WAVE = 10
"""The smallest expected number of units of a wave, unless fewer are left."""


def default_wave_size(units: int) -> int:
    """A twentieth of the units, at least MIN_WAVE."""
    return max(MIN_WAVE, round(units / 20))


@dataclass(frozen=True)
class SamplingRule:
    """How units are drawn.

    name: "uniform": with equal probabilities. "stratified": by Neyman's allocation, in proportion
    to the root mean square of the expected errors in the unit's stratum. aim: the estimate whose
    error counts. systems: the two systems of the aim "difference". by: how strata are formed
    (`unit_strata`). uniform_share: the share of the expected draws of "stratified" that is spread
    uniformly, so that no probability is below this share of the uniform one. Raises
    EstimationError for values that are not allowed.
    """

    name: RuleName = "uniform"
    aim: Aim = "mean"
    systems: tuple[str, ...] = ()
    by: StratifyBy = "score"
    uniform_share: float = 0.5

    def __post_init__(self) -> None:
        for value, known in ((self.name, RULES), (self.aim, AIMS), (self.by, STRATIFY_BY)):
            if value not in known:
                raise EstimationError(f"'{value}' is not one of {', '.join(known)}")
        if (self.aim == "difference") != (len(self.systems) == 2):
            raise EstimationError("the aim 'difference' needs two systems, and no other aim does")
        if not MIN_UNIFORM_SHARE <= self.uniform_share <= 1:
            raise EstimationError(f"uniform_share must be from {MIN_UNIFORM_SHARE:g} to 1")


MIN_UNIFORM_SHARE = 0.2
"""With less, the estimate would depend on few draws with small probabilities."""


def inclusion_probabilities(
    rule: SamplingRule, population: Population, outcomes: Floats, available: Booleans, size: float
) -> Floats:
    """The probability of each unit in the next wave, (M,); NaN for those that are not available.

    outcomes: (N,), all ratings so far. size: the expected number of units drawn, at least
    MIN_WAVE; where fewer are left, all are drawn.
    """
    if rule.systems and (unknown := set(rule.systems) - set(population.names)):
        raise EstimationError(f"there is no system '{min(unknown)}'")
    left = int(np.count_nonzero(available))
    size = min(max(size, MIN_WAVE), left)
    priority = np.ones(left)
    if rule.name == "stratified":
        errors = expected_errors(population, outcomes, rule.aim, rule.systems)
        strata = unit_strata(population, rule.by)
        squares = np.bincount(strata, errors**2) / np.maximum(np.bincount(strata), 1)
        priority = np.sqrt(squares)[strata][available]
    probabilities = np.full(population.size, np.nan)
    probabilities[available] = allocate(priority, size, rule.uniform_share)
    return probabilities


def unit_strata(population: Population, by: StratifyBy) -> Integers:
    """The stratum of each unit, (M,), codes from 0.

    score: groups of equal size by the mean standardised score. system: units with candidates of the
    same systems. constituent: the constituents of the set.
    """
    if by == "score":
        means = population.unit_means(standard_scores(population).mean(axis=1))
        return quantile_groups(means, SCORE_GROUPS)
    if by == "constituent":
        return np.unique(population.groups, return_inverse=True)[1].astype(np.int64)
    has = np.zeros((population.size, len(population.names)), dtype=bool)
    has[population.units, population.systems] = True
    return np.unique(has, axis=0, return_inverse=True)[1].astype(np.int64)


def allocate(priority: Floats, size: float, uniform_share: float) -> Floats:
    """Probabilities (M,) that sum to `size`.

    The share `uniform_share` of the sum is spread equally, the rest in proportion to `priority`.
    Probabilities above 1 are cut to 1, and the excess is spread over the others in the same way.
    priority: (M,), 0 or more; uniform where all are 0.
    """
    total = priority.sum()
    shares = np.full(len(priority), 1 / len(priority))
    if total > 0:
        shares = uniform_share * shares + (1 - uniform_share) * priority / total
    result = np.zeros(len(priority))
    is_open = np.ones(len(priority), dtype=bool)
    while is_open.any():
        rest = size - np.count_nonzero(~is_open)
        result[is_open] = rest * shares[is_open] / shares[is_open].sum()
        over = is_open & (result >= 1)
        result[over] = 1.0
        if not over.any():
            break
        is_open &= ~over
    return result
