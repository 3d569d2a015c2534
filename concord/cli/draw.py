"""`concord draw FILE --scores SCORES.jsonl --out NEXT.jsonl`: choose what people rate next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, replace
from pathlib import Path

import numpy as np

from concord.arguments import positive, share
from concord.cli.arguments import seed_option
from concord.cli.command import CommandResult, argument, command, option
from concord.cli.files import Scores, names, print_report
from concord.estimation import EstimationError
from concord.formats import read_judgments, write_judgments
from concord.frames import complete_frame, is_sampled, to_frame
from concord.sampling import (
    Aim,
    RuleName,
    SamplingRule,
    Unit,
    available_units,
    complete_waves,
    default_wave_size,
    draw_wave,
    inclusion_probabilities,
    look,
    stopping_rule,
    stored_design,
    to_population,
    unit_records,
)
from concord.sampling.rules import StratifyBy
from concord.sentences import counted
from concord.tables import ResultTable
from concord.tables.result import Result


@dataclass(frozen=True, kw_only=True)
class RuleOptions:
    """A sampling rule, if any is named."""

    rule: RuleName | None = option("how units are drawn")
    aim: Aim | None = option("which error a stratified rule reduces (default: ranking for the "
                             "target ranking, else mean)")  # fmt: skip
    pair: Sequence[str] = option("the two systems of the aim difference", (), names)
    strata: StratifyBy = option(default="score")
    uniform_share: float = option("share of draws that are uniform (default: 0.5)",
                                  SamplingRule.uniform_share, share)  # fmt: skip
    unit: Unit = option("what is drawn whole", "instance")

    def chosen(self, target: str | None) -> SamplingRule:
        """The rule. target: of the design. Raises EstimationError."""
        default: Aim = "ranking" if (target or "").startswith("ranking") else "mean"
        return SamplingRule(
            self.rule or SamplingRule.name,
            self.aim or default,
            tuple(self.pair),
            self.strata,
            self.uniform_share,
        )


@dataclass(frozen=True, kw_only=True)
class DrawRule(RuleOptions):
    """The sampling rule of a wave."""

    rule: RuleName = option("how units are drawn", "uniform")


@dataclass(frozen=True, kw_only=True)
class DrawInputs:
    """All candidates and their scores, and how and when the next wave is drawn."""

    file: Path = argument("FILE", "all candidates, in the format concord")
    scores: Scores
    out: Path = option("the file with the next wave's draws", MISSING)
    rule: DrawRule
    wave: int | None = option("expected units of the wave (default: 1/20 of all)", parse=positive)
    seed: int = seed_option("seed of the draws; the same for every wave")
    target: str | None = option("width:W, ranking:LEVEL or budget: draw nothing once it is reached")
    budget: int | None = option("most units to draw (default: all)", parse=positive)


@dataclass(frozen=True)
class DrawnWave(Result):
    """A wave by its number. units, candidates: drawn now. expected: number of units. drawn_before:
    units of earlier waves. of: number of all units."""

    wave: int
    units: int
    candidates: int
    expected: float
    drawn_before: int
    of: int

    def tables(self) -> Iterable[ResultTable]:
        return ()

    def sentences(self) -> Iterable[str]:
        yield (
            f"Wave {self.wave}: {counted(self.units, 'unit')} drawn ({self.expected:.0f} "
            f"expected), {counted(self.candidates, 'candidate')} to rate; drawn before: "
            f"{self.drawn_before:,} of {self.of:,}."
        )


@command(
    "draw the next wave of instances to rate, by a rule with stored probabilities",
    formats=("text", "json"),
)
def draw(inputs: DrawInputs) -> CommandResult:
    """Draw the next wave, and write it."""
    file = read_judgments([inputs.file], "concord")
    print_report(file.report)
    frame = complete_frame(to_frame(file))
    scores, metrics = inputs.scores.read(), inputs.scores.metrics
    if is_sampled(frame):
        population, waves = stored_design(frame, scores, metrics)
    else:
        population, waves = to_population(frame, scores, metrics, unit=inputs.rule.unit), []
    outcomes = frame["score"].to_numpy(np.float64)
    if not waves and not np.isnan(outcomes).all():
        raise EstimationError(
            "the file has ratings of candidates that no rule drew; draw from a file without "
            "`score` and `ratings`"
        )
    complete = complete_waves(population, outcomes, waves)
    if len(complete) < len(waves):
        pending = sum(int(wave.drawn.sum()) for wave in waves[len(complete) :])
        raise EstimationError(
            f"wave {len(complete) + 1} is not rated completely ({counted(pending, 'unit')} drawn "
            "since); rate all its draws before the next one"
        )
    if inputs.target and waves:
        stopping = stopping_rule(inputs.target, inputs.budget or population.size)
        now = look(population, outcomes, waves, stopping)
        if now.is_over:
            reason = "the target is reached" if now.is_reached else "the budget is used"
            raise EstimationError(
                f"{reason} after {counted(now.units, 'unit')}: nothing is left to draw"
            )
    size = inputs.wave or default_wave_size(population.size)
    available = available_units(waves, population.size)
    p = inclusion_probabilities(
        inputs.rule.chosen(inputs.target), population, outcomes, available, size
    )
    waves = [*waves, draw_wave(len(waves) + 1, p, population.unit_ids, seed=inputs.seed)]
    records = unit_records(population.unit_ids, waves)
    candidates = [
        replace(candidate, sampling=records[unit])
        for candidate, unit in zip(file.candidates, population.units, strict=True)
    ]
    with inputs.out.open("w", encoding="utf-8") as stream:
        write_judgments(stream, candidates, file.scale, str)
    drawn = waves[-1].drawn
    result = DrawnWave(
        wave=len(waves),
        units=int(drawn.sum()),
        candidates=int(drawn[population.units].sum()),
        expected=float(np.nansum(p)),
        drawn_before=int((~available).sum()),
        of=population.size,
    )
    return CommandResult(results={"": result})
