"""`concord plan FILE`: how many ratings the systems' means, or a target of sampling, need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from concord.arguments import amount, positive
from concord.cli.arguments import draws_option, seed_option
from concord.cli.command import CommandResult, command, group, option, run_with_bar
from concord.cli.files import JudgmentFiles, OptionalScores
from concord.documents.conversion import to_json
from concord.estimation import EstimationError
from concord.frames import complete_frame, extract_ratings, is_sampled, refuse_unordered
from concord.planning.means import MeansPlan, needed_passages
from concord.planning.plan import PayTerms
from concord.planning.variance import component_steps
from concord.plots.forest import IntervalPlot
from concord.protocols import Pay
from concord.sampling import Unit, default_wave_size, stopping_rule, to_population
from concord.sampling.plans import PricedRule, RulesPlan, plan_rule_steps
from concord.tables import ResultTable
from concord.tables.result import PlottedResult

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class RuleTarget:
    """What the sampling rules are to reach, in a study of what size and price."""

    scores: OptionalScores
    target: str | None = option("width:W or ranking:LEVEL (default: the width)")
    unit: Unit = option("what is drawn whole", "instance")
    units: int | None = option("instances of the planned study (default: those rated in the file)",
                               parse=positive, metavar="N")  # fmt: skip
    wave: int | None = option("units drawn before each look (default: 1/20 of all)", parse=positive)
    budget: int | None = option("most units to draw (default: all)", parse=positive)
    ratings_each: int = option("ratings of an answer in the file", 1, positive)
    cents: int | None = option("pay of a rating; the plan then names costs", parse=positive)
    fee: float = option("the platform's fee in percent", 0.0, amount)

    @property
    def terms(self) -> PayTerms | None:
        """The price of a rating; None without one."""
        return None if self.cents is None else PayTerms(Pay(self.cents), 1, self.fee)


@dataclass(frozen=True, kw_only=True)
class PlanInputs:
    """A rated set, and what a study like it is to reach."""

    judgments: JudgmentFiles
    width: float | None = option("the wanted width of 95%% intervals, in points of the scale",
                                 parse=amount)  # fmt: skip
    persons: int | None = option("raters in all (default: as many as in the file)",
                                 parse=positive, metavar="N")  # fmt: skip
    raters: str | None = option("required if there are several groups", metavar="GROUP")
    seed: int = seed_option()
    draws: int = draws_option(200)
    rules: RuleTarget = group("what each sampling rule needs, with a metric's scores")


@dataclass(frozen=True)
class StudyPlan(PlottedResult):
    """What means of a width need, and what the sampling rules; None where it is not asked."""

    means: MeansPlan | None
    rules: RulesPlan | None

    @property
    def parts(self) -> list[MeansPlan | RulesPlan]:
        """What was asked."""
        return [part for part in (self.means, self.rules) if part is not None]

    def tables(self) -> Iterable[ResultTable]:
        return (table for part in self.parts for table in part.tables())

    def sentences(self) -> Iterable[str]:
        return (line for part in self.parts for line in part.sentences())

    def forest(self) -> IntervalPlot:
        """That of the rules, or else of the means."""
        return self.parts[-1].forest()


@command("how many ratings are needed, from a pilot or another rated set", plot=True)
def plan(inputs: PlanInputs) -> CommandResult:
    """What a study like the rated set needs."""
    by_rules = inputs.rules.scores.scores is not None
    if not by_rules and inputs.width is None:
        raise ValueError("name a width, or --scores and a target")
    frame = complete_frame(inputs.judgments.read())
    means = None if inputs.width is None else _means(frame, inputs, inputs.width)
    result = StudyPlan(means, _rules(frame, inputs) if by_rules else None)
    name = inputs.judgments.name
    document = {"file": name, "seed": inputs.seed}
    for part in result.parts:
        document |= to_json(part)
    return CommandResult(results={name: result}, document=document)


def _means(frame: pd.DataFrame, inputs: PlanInputs, width: float) -> MeansPlan:
    """The variance components, and the passages that means and differences need."""
    refuse_unordered(frame)
    ratings = extract_ratings(frame, inputs.raters)
    by_id = dict(zip(frame["id"].astype(str), frame["system"].astype(str), strict=True))
    systems = np.unique([by_id[name] for name in ratings.unit_names], return_inverse=True)[1]
    persons = inputs.persons or ratings.n_raters
    rng = np.random.default_rng(inputs.seed)
    steps = component_steps(ratings, systems, draws=inputs.draws, rng=rng)
    components = run_with_bar("resampling passages", steps)
    mean, difference = (
        needed_passages(components, width, of_difference=of_difference, persons=persons)
        for of_difference in (False, True)
    )
    return MeansPlan(
        width=width,
        persons=persons,
        draws=inputs.draws,
        passages=components.passages,
        undefined=components.undefined,
        components=components.estimate,
        mean=mean,
        difference=difference if len(np.unique(systems)) > 1 else [],
        terms=inputs.rules.terms,
    )


def _rules(frame: pd.DataFrame, inputs: PlanInputs) -> RulesPlan:
    """What the replayed rules need."""
    if is_sampled(frame):
        raise EstimationError(
            "the file was drawn by a rule; plan from a set that is rated completely, or at random"
        )
    rules = inputs.rules
    text = rules.target or ("" if inputs.width is None else f"width:{inputs.width!r}")
    if not text:
        raise EstimationError("name a target for the sampling rules: --target or --width")
    scores, metrics = rules.scores.read(), rules.scores.metrics
    everything = to_population(frame, scores, metrics, unit=rules.unit)
    outcomes = frame["score"].to_numpy(np.float64)
    rows = everything.rated_units(outcomes)[everything.units]
    if not rows.any():
        raise EstimationError("no instance of the file is rated completely")
    rated = frame[rows].reset_index(drop=True)
    population = to_population(rated, scores, metrics, unit=rules.unit)
    size = rules.units or population.size
    stopping = stopping_rule(text, rules.budget or size)
    if stopping.kind == "budget":
        raise EstimationError("a budget is no target to plan for; name a width or a ranking")
    steps = plan_rule_steps(
        population,
        outcomes[rows],
        stopping,
        size=size,
        wave_size=rules.wave or default_wave_size(size),
        draws=inputs.draws,
        seed=inputs.seed,
    )
    plans = run_with_bar("simulating", steps)
    return RulesPlan(
        target=stopping,
        metrics=list(population.metrics),
        rated_units=population.size,
        units=size,
        draws=inputs.draws,
        rules=[PricedRule.of(one, rules.ratings_each, rules.terms) for one in plans],
    )
