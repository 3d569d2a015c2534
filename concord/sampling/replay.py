"""Replay of a design on a rated set: units are drawn repeatedly until the stopping rule holds."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from concord.arrays import Floats
from concord.estimation.estimates import Method
from concord.estimation.replay import NO_MEAN, Tally, true_means
from concord.inference import Z95
from concord.meta.inference.draws import Progress
from concord.sampling.draws import Wave, available_units, draw_wave
from concord.sampling.estimates import WaveEstimate, estimate_wave
from concord.sampling.population import Population, Unit
from concord.sampling.rules import SamplingRule, inclusion_probabilities
from concord.sampling.stopping import Look, StoppingRule, look
from concord.sentences import counted, interval_text
from concord.tables import ResultTable, count, number, share, text
from concord.tables.result import Result


@dataclass(frozen=True)
class DesignReplay:
    """The results of one rule over all draws. A draw is one simulated collection.

    rule: its name; "plain mean" is the uniform rule without the metric. units, units_low,
    units_high: mean, 5% and 95% quantile of the number of units drawn at the stop. ratings: mean
    number of rated candidates. saving, saving_ci: mean ratings of the plain mean over mean ratings
    of this rule, and the 95% interval of this ratio. reached: share of draws that reached the
    target within the budget. coverage: share of intervals at the stop that contain the set's mean.
    all_looks: share of systems and draws whose intervals contained it at every look. refused: share
    of systems without an interval at the stop. resolved, wrong: share of pairs of systems and draws
    that were resolved, and that were resolved in the wrong order. width: mean width of the
    intervals at the stop. used: share of estimates that used the metric. None where there was
    nothing to count.
    """

    rule: str = field(metadata=NO_MEAN)
    units: float
    units_low: float = field(metadata=NO_MEAN)
    units_high: float = field(metadata=NO_MEAN)
    ratings: float
    saving: float = field(metadata=NO_MEAN)
    saving_ci: tuple[float, float] = field(metadata=NO_MEAN)
    reached: float
    coverage: float | None
    all_looks: float | None
    refused: float
    resolved: float | None
    wrong: float | None
    width: float | None
    used: float


@dataclass(frozen=True)
class RuleReplay(Result):
    """Collections of a rated set by a rule until a target, by the rule and by others. units: of the
    set. wave: expected units of a wave."""

    metrics: list[str]
    rule: SamplingRule
    target: StoppingRule
    unit: Unit
    units: int
    wave: int
    draws: int
    seed: int
    systems: list[str]
    rows: list[DesignReplay]

    def tables(self) -> Iterable[ResultTable]:
        columns = [
            text("rule"),
            count("units"),
            number("5% to 95%", lambda row: f"{row.units_low:,.0f} to {row.units_high:,.0f}"),
            count("ratings"),
            number("plain mean takes", lambda row: f"{row.saving:.2f} times"),
            number("95% interval", lambda row: interval_text(row.saving_ci, 2)),
            share("reached"),
            share("coverage"),
            share("at all looks", "all_looks"),
            share("resolved"),
            share("wrong"),
            share("refused"),
        ]
        title = f"{counted(self.units, 'unit')}, by {', '.join(self.metrics)}"
        yield ResultTable(f"{title}, target {self.target}", columns, self.rows)

    def sentences(self) -> Iterable[str]:
        yield (
            "Coverage: intervals at the stop that hold the set's own mean. Levels are corrected "
            "for all looks, so that more than 95% hold it."
        )


PLAIN = "plain mean"
ROUNDING = 1e-9
"""Share of the largest mean by which an end of an interval may miss one."""


def replay_design_steps(
    population: Population,
    outcomes: Floats,
    rule: SamplingRule,
    stopping: StoppingRule,
    *,
    wave_size: int,
    draws: int = 200,
    seed: int = 0,
) -> Generator[Progress, None, list[DesignReplay]]:
    """Replay the plain mean, the uniform rule, and `rule` if it is another one.

    Draw d has the seed `seed` + d for all rules. Yields its progress. Raises EstimationError for a
    candidate without an outcome.
    """
    rules = [] if rule.name == "uniform" else [rule]
    truth = true_means(population.systems, outcomes)
    studies = ((population, outcomes, seed + draw) for draw in range(draws))
    steps = collect_studies(studies, draws, rules, stopping, wave_size)
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    for name, looks, progress in steps:
        _count(tallies[name], looks, population, truth)
        yield progress
    return [_row(name, tally, tallies[PLAIN]) for name, tally in tallies.items()]


def collect_studies(
    studies: Iterable[tuple[Population, Floats, int]],
    n: int,
    rules: Sequence[SamplingRule],
    stopping: StoppingRule,
    wave_size: int,
) -> Iterator[tuple[str, list[Look], Progress]]:
    """(name, looks, progress) of the collection of each of n studies (population, outcomes, seed)
    by the plain mean, by the uniform rule with the metrics, and by other rules."""
    designs: list[tuple[str, SamplingRule, Method]] = [(PLAIN, SamplingRule(), "mean")]
    designs += [(rule.name, rule, "auto") for rule in (SamplingRule(), *rules)]
    for study, (population, outcomes, seed) in enumerate(studies):
        for position, (name, rule, method) in enumerate(designs, start=1):
            looks = collect(
                population, outcomes, rule, stopping, wave_size=wave_size, seed=seed, method=method
            )
            yield name, looks, Progress(study * len(designs) + position, n * len(designs))


def collect(
    population: Population,
    outcomes: Floats,
    rule: SamplingRule,
    stopping: StoppingRule,
    *,
    wave_size: int,
    seed: int,
    method: Method = "auto",
) -> list[Look]:
    """The looks of one simulated collection until it is over. outcomes: (N,), of all candidates."""
    waves: list[Wave] = []
    parts: list[WaveEstimate] = []
    looks: list[Look] = []
    seen = np.full(len(outcomes), np.nan)
    while not looks or not looks[-1].is_over:
        number = len(waves) + 1
        p = inclusion_probabilities(
            rule, population, seen, available_units(waves, population.size), wave_size
        )
        wave = draw_wave(number, p, population.unit_ids, seed=seed)
        waves.append(wave)
        shown = wave.drawn[population.units]
        seen[shown] = outcomes[shown]
        if not waves[0].drawn.any():
            waves.pop()
            seed += 1_000_003
            continue
        parts.append(estimate_wave(population, seen, waves))
        looks.append(look(population, seen, waves, stopping, method=method, parts=parts))
    return looks


def _count(tally: Tally, looks: list[Look], population: Population, truth: Floats) -> None:
    last = looks[-1]
    tally.add("units", last.units)
    tally.add("ratings", sum(row.rated for row in last.estimates))
    tally.add("reached", last.is_reached)
    rounding = ROUNDING * float(np.abs(truth).max())
    for system, value in enumerate(truth):
        intervals = [each.estimates[system].ci for each in looks]
        held = [ci is None or ci[0] - rounding <= value <= ci[1] + rounding for ci in intervals]
        tally.add("refused", intervals[-1] is None)
        tally.add("all_looks", all(held))
        if (ci := intervals[-1]) is not None:
            tally.add("coverage", held[-1])
            tally.add("width", ci[1] - ci[0])
        tally.add("used", last.estimates[system].method == "prediction-powered")
    by_name = dict(zip(population.names, truth, strict=True))
    for gap in last.differences:
        is_resolved = (gap.first, gap.second) not in last.unresolved
        is_right = np.sign(gap.value) == np.sign(by_name[gap.first] - by_name[gap.second])
        tally.add("resolved", is_resolved)
        tally.add("wrong", is_resolved and not is_right)


def _row(name: str, tally: Tally, plain: Tally) -> DesignReplay:
    saving, ci = ratio_of_means(plain.values["ratings"], tally.values["ratings"])
    low, high = np.quantile(tally.values["units"], [0.05, 0.95]).tolist()
    return DesignReplay(
        rule=name, units_low=low, units_high=high, saving=saving, saving_ci=ci,
        **tally.means(DesignReplay),
    )  # fmt: skip


def ratio_of_means(
    numerators: Sequence[float], denominators: Sequence[float]
) -> tuple[float, tuple[float, float]]:
    """mean(numerators) / mean(denominators) of paired values, and its 95% interval by the delta
    method on the logarithm."""
    x, y = np.array(numerators, dtype=np.float64), np.array(denominators, dtype=np.float64)
    ratio = float(x.mean() / y.mean())
    if len(x) < 2:
        return ratio, (0.0, math.inf)
    spread = (x / x.mean() - y / y.mean()).std(ddof=1) / math.sqrt(len(x))
    return ratio, (ratio * math.exp(-Z95 * spread), ratio * math.exp(Z95 * spread))
