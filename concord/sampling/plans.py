"""The number of ratings, and the cost, that each sampling rule needs to reach a target.

Studies are simulated from a rated set of the same kind. A study's passages are drawn from the set's
with replacement, and its units are drawn wave by wave until the target is reached.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from concord.arrays import Floats, Integers
from concord.estimation.sample import EstimationError
from concord.meta.inference.draws import Progress
from concord.planning.plan import PayTerms
from concord.plots.forest import IntervalPlot
from concord.sampling.population import Population
from concord.sampling.replay import collect_studies
from concord.sampling.rules import MIN_WAVE, Aim, SamplingRule
from concord.sampling.stopping import StoppingRule
from concord.sentences import dollars
from concord.tables import ResultTable, number, share, text
from concord.tables.result import PlottedResult

Range = tuple[int, int, int]
"""Mean, and 5% and 95% quantiles over simulated studies."""


@dataclass(frozen=True)
class RulePlan:
    """What a rule needs to reach the target.

    rule: its name; "plain mean" is the uniform rule without metrics. units: number of drawn units.
    candidates: number of their candidates. reached: share of studies that reach the target within
    the budget.
    """

    rule: str
    units: Range
    candidates: Range
    reached: float


@dataclass(frozen=True)
class PricedRule(RulePlan):
    """What a rule needs, with the ratings of the candidates and their cost, if priced."""

    ratings: Range
    cents: Range | None

    @classmethod
    def of(cls, plan: RulePlan, raters_each: int, terms: PayTerms | None) -> PricedRule:
        """The plan with its price. raters_each: of a candidate."""
        mean, low, high = plan.candidates
        ratings = mean * raters_each, low * raters_each, high * raters_each
        cents = None
        if terms is not None:
            expected, least, most = (terms.cents(raters_each, n) for n in plan.candidates)
            cents = expected, least, most
        return cls(**vars(plan), ratings=ratings, cents=cents)


@dataclass(frozen=True)
class RulesPlan(PlottedResult):
    """What every rule needs until a target, by simulated studies. rated_units: of the set, whose
    passages they have. units: of a study. draws: number of studies."""

    target: StoppingRule
    metrics: list[str]
    rated_units: int
    units: int
    draws: int
    rules: list[PricedRule]

    def tables(self) -> Iterable[ResultTable]:
        def cost(row: PricedRule) -> str:
            return "" if row.cents is None else _text(row.cents, dollars)

        columns = [
            text("rule"),
            number("units", lambda row: _text(row.units)),
            number("ratings", lambda row: _text(row.ratings)),
            number("cost", cost),
            share("reached", digits=0),
        ]
        title = f"{self.target} of {self.units:,} units, by {', '.join(self.metrics)}"
        yield ResultTable(title, columns, self.rules)

    def sentences(self) -> Iterable[str]:
        yield (
            f"By {self.draws:,} simulated studies, whose passages are those of the "
            f"{self.rated_units:,} rated units; in brackets 5% to 95% of them."
        )

    def forest(self) -> IntervalPlot:
        """The units that each rule needs."""
        rows = [(row.rule, row.units[0], row.units[1:]) for row in self.rules]
        name = f"units for a {self.target.kind} of {self.target.value:g}"
        return IntervalPlot(name, rows, digits=0)


def _text(values: Range, form: Callable[[int], str] = "{:,}".format) -> str:
    expected, low, high = map(form, values)
    return f"{expected} ({low} to {high})"


def plan_rule_steps(
    population: Population,
    outcomes: Floats,
    stopping: StoppingRule,
    *,
    size: int,
    wave_size: int,
    draws: int,
    seed: int,
) -> Generator[Progress, None, list[RulePlan]]:
    """Simulate `draws` studies of `size` units by the plain mean and by every rule.

    outcomes: (N,), of all candidates. The ranges include the randomness of the draws and of the
    set's passages. Yields its progress. Raises EstimationError for a missing outcome, and for fewer
    than MIN_WAVE units.
    """
    if np.isnan(outcomes).any():
        raise EstimationError("a plan needs outcomes of all candidates of the set")
    if min(size, population.size) < MIN_WAVE:
        raise EstimationError(f"a plan needs {MIN_WAVE} units or more")
    aim: Aim = "ranking" if stopping.kind == "ranking" else "mean"
    studies = (
        (*resample(population, outcomes, size, np.random.default_rng([seed, draw])), draw)
        for draw in range(draws)
    )
    rules = [SamplingRule("stratified", aim)]
    figures: defaultdict[str, list[tuple[int, int, bool]]] = defaultdict(list)
    for name, looks, progress in collect_studies(studies, draws, rules, stopping, wave_size):
        last = looks[-1]
        rated = sum(estimate.rated for estimate in last.estimates)
        figures[name].append((last.units, rated, last.is_reached))
        yield progress
    return [
        RulePlan(name, _range(units), _range(candidates), float(np.mean(reached)))
        for name, rows in figures.items()
        for units, candidates, reached in [zip(*rows, strict=True)]
    ]


def resample(
    population: Population, outcomes: Floats, size: int, rng: np.random.Generator
) -> tuple[Population, Floats]:
    """A population of `size` units whose passages are drawn with replacement, and its outcomes.

    A passage that is drawn twice counts as two passages. The last passage may lose units, and a
    system with candidates for few passages may be absent.
    """
    passage_of = np.zeros(population.size, dtype=np.int64)
    passage_of[population.units] = population.passages
    units_of = _positions(np.unique(passage_of, return_inverse=True)[1])
    rows_of = _positions(population.units)
    drawn = rng.integers(0, len(units_of), size=size)  # enough, as each has a unit or more
    copies = np.repeat(np.arange(size), [len(units_of[passage]) for passage in drawn])[:size]
    units = np.concatenate([units_of[passage] for passage in drawn])[:size]
    rows = np.concatenate([rows_of[unit] for unit in units])
    lengths = [len(rows_of[unit]) for unit in units]
    present, systems = np.unique(population.systems[rows], return_inverse=True)
    return (
        Population(
            scores=population.scores[rows],
            systems=systems.astype(np.int64),
            passages=np.repeat(copies, lengths),
            units=np.repeat(np.arange(size), lengths),
            unit_ids=tuple(
                f"{population.unit_ids[unit]} {position}" for position, unit in enumerate(units)
            ),
            groups=population.groups[units],
            names=tuple(population.names[code] for code in present),
            metrics=population.metrics,
        ),
        outcomes[rows],
    )


def _positions(codes: Integers) -> list[Integers]:
    """The positions of each code, from 0 without gaps."""
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])


def _range(values: Sequence[int]) -> Range:
    low, high = np.quantile(values, (0.05, 0.95), method="inverted_cdf")
    return round(float(np.mean(values))), int(low), int(high)
