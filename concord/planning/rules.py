"""How many ratings, and how much money, each sampling rule needs for a target."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.meta.inference.draws import Progress
from concord.planning.plan import PayTerms
from concord.sampling import (
    Aim,
    DesignReplay,
    Population,
    SamplingRule,
    StoppingRule,
    default_wave_size,
    replay_design_steps,
)

Range = tuple[int, int, int]
"""Expected number, and the 5% and 95% quantiles over collections."""


@dataclass(frozen=True)
class RulePlan:
    """What a rule needs until its target.

    rule: "plain mean" is uniform without metrics. units: drawn. candidates, ratings: of these
    units. cents: pay and fees; None without a price. reached: the share of collections that reach
    the target at all.
    """

    rule: str
    units: Range
    candidates: Range
    ratings: Range
    cents: Range | None
    reached: float


def plan_rule_steps(
    population: Population,
    outcomes: NDArray[np.float64],
    stopping: StoppingRule,
    *,
    draws: int,
    seed: int,
) -> Generator[Progress, None, list[DesignReplay]]:
    """Replay a rated set by the plain mean and by every rule, with its default wave.

    Arguments, errors and progress as those of `replay_design_steps`.
    """
    aim: Aim = "ranking" if stopping.kind == "ranking" else "mean"
    rules = [SamplingRule("stratified", aim), SamplingRule("active", aim)]
    wave = default_wave_size(population.size)
    return replay_design_steps(
        population, outcomes, rules, stopping, wave_size=wave, draws=draws, seed=seed
    )


def plan_rules(
    rows: Sequence[DesignReplay],
    size: int,
    new_size: int,
    *,
    raters_each: int = 1,
    terms: PayTerms | None = None,
) -> list[RulePlan]:
    """What each replayed rule needs in a study of `new_size` units like the `size` units replayed.

    raters_each: ratings of a candidate, as many as the replayed outcomes are means of.
    """
    plans = []
    for row in rows:
        each = row.ratings / row.units
        ends = (row.units, row.units_low, row.units_high)
        units = _whole(units_of_size(end, size, new_size) for end in ends)
        candidates = _whole(n * each for n in units)
        ratings = _whole(n * raters_each for n in candidates)
        cents = None if terms is None else _whole(terms.cents(raters_each, n) for n in candidates)
        plans.append(RulePlan(row.rule, units, candidates, ratings, cents, row.reached))
    return plans


def units_of_size(units: float, size: int, new_size: int) -> float:
    """The units of `new_size` that give an interval as wide as `units` of `size`.

    A variance is proportional to 1 / units - 1 / size.
    """
    return 1 / (1 / units - 1 / size + 1 / new_size)


def _whole(values: Generator[float, None, None]) -> Range:
    expected, low, high = (math.ceil(round(value, 6)) for value in values)
    return expected, low, high
