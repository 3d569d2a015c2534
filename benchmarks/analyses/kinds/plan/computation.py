"""The analysis "plan": how many ratings does a study like this set need, by which rule?"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db.models import Count

from benchmarks.analyses.estimation_samples import (
    choose_run,
    estimation_sample,
    judged_population,
    outcome_scale,
)
from benchmarks.analyses.kinds.replay import LEVEL, MIN_PASSAGES, Goal
from benchmarks.analyses.parameters import RunParameters, draws_field, seed_field
from benchmarks.analyses.rater_agreement import refuse_unordered, set_ratings
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from concord.bounds import number
from concord.meta.inference import Progress, run_steps
from concord.planning.means import NeededPassages, needed_passages
from concord.planning.variance import VarianceComponents, component_steps
from concord.reliability import RatingsError
from concord.sampling import StoppingRule, default_wave_size
from concord.sampling.plans import RulePlan, plan_rule_steps
from concord.sentences import counted
from core.refusals import RefusedError

MAX_UNITS = 100_000
DRAWS = 200
"""Resamples of passages for the ranges of the variance components."""
SHARE_FOR_RANKING = 10
"""Percentage of the scale that intervals span where the target is a ranking."""


@dataclass(frozen=True, kw_only=True)
class PlanParameters(RunParameters):
    """target: as in `ReplayParameters`. units: instances of the planned study; 0: as many as the
    set has rated ones."""

    target: Goal = "10"
    units: int = field(default=0, metadata=number(0, MAX_UNITS))
    draws: int = draws_field(100)
    seed: int = seed_field()


@dataclass(frozen=True)
class MeansNeeds:
    """Passages for intervals of a width, from the single ratings. group: of raters. persons: their
    number. ratings_each: mean ratings of an answer. passages: how many are rated; draws: resamples
    of them; undefined: resamples without components. difference: empty with one system."""

    group: str
    persons: int
    ratings_each: float
    passages: int
    draws: int
    undefined: int
    components: VarianceComponents
    mean: list[NeededPassages]
    difference: list[NeededPassages]


@dataclass(frozen=True)
class PlanAnalysis:
    """How many ratings a study like a rated set needs. rated: its units that are rated. units: of
    the simulated studies. wave: expected units of a wave. width: of the intervals that `needs` is
    about. needs: None where the set's ratings do not tell; `no_needs` says why."""

    metric: RunName
    systems: list[str]
    rated: int
    units: int
    wave: int
    target: StoppingRule
    width: float
    rules: list[RulePlan]
    needs: MeansNeeds | None
    no_needs: str


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: PlanParameters
) -> Generator[Progress, None, PlanAnalysis]:
    """Simulate studies of the set's passages by every rule until the target."""
    if judgment_set.has_unequal_sampling:
        raise RefusedError(
            "the rated candidates were drawn with unequal probabilities; plan from another set",
            "analysis-refused",
        )
    run = choose_run(judgment_set, runs, parameters.run)
    sample = estimation_sample(judgment_set, run, only_judged=True)
    passages = len(np.unique(sample.passages))
    if passages < MIN_PASSAGES:
        raise RefusedError(
            f"{counted(passages, 'passage is', 'passages are')} rated; a plan needs "
            f"{MIN_PASSAGES} or more",
            "analysis-refused",
        )
    population = judged_population(judgment_set, sample)
    size = parameters.units or population.size
    low, high = outcome_scale(judgment_set, sample)
    target = parameters.target
    percent = SHARE_FOR_RANKING if target == "ranking" else int(target)
    width = percent / 100 * (high - low)
    if target == "ranking":
        stopping = StoppingRule("ranking", LEVEL, size)
    else:
        stopping = StoppingRule("width", width, size)
    wave = default_wave_size(size)
    rules = yield from plan_rule_steps(
        population,
        sample.outcomes,
        stopping,
        size=size,
        wave_size=wave,
        draws=parameters.draws,
        seed=parameters.seed,
    )
    no_needs = ""
    try:
        needs = _needs(judgment_set, width, parameters.seed)
    except (RatingsError, RefusedError) as error:
        needs, no_needs = None, str(error)
    return PlanAnalysis(
        metric=RunName.of(run),
        systems=list(sample.names),
        rated=population.size,
        units=size,
        wave=wave,
        target=stopping,
        width=width,
        rules=rules,
        needs=needs,
        no_needs=no_needs,
    )


def _needs(judgment_set: JudgmentSet, width: float, seed: int) -> MeansNeeds | None:
    """Passages for intervals of this width, by the group of raters with most ratings.

    Raises RefusedError without ratings, RatingsError where they do not tell.
    """
    groups = criteria.ratings(judgment_set).order_by().values_list("group")
    most = groups.annotate(n=Count("pk")).order_by("-n", "group").first()
    group = None if most is None else most[0]
    refuse_unordered(judgment_set)
    ratings = set_ratings(judgment_set, group)
    system_of = dict(judgment_set.candidates.exclude(system="").values_list("key", "system"))
    has_system = np.array([name in system_of for name in ratings.unit_names], dtype=bool)
    ratings = ratings.keep(has_system[ratings.units])
    names = [system_of.get(str(name), "") for name in ratings.unit_names]
    systems = np.unique(np.array(names, dtype=np.str_), return_inverse=True)[1].astype(np.int64)
    # Without those that have ratings in other groups only.
    n_systems = len(np.unique(systems[ratings.units]))
    n_raters = len(np.unique(ratings.raters))
    steps = component_steps(ratings, systems, draws=DRAWS, rng=np.random.default_rng(seed))
    components = run_steps(steps)

    mean, difference = (
        needed_passages(components, width, of_difference=of_difference, persons=n_raters)
        for of_difference in (False, True)
    )
    return MeansNeeds(
        group=group or "",
        persons=n_raters,
        ratings_each=len(ratings) / len(np.unique(ratings.units)),
        passages=components.passages,
        draws=DRAWS,
        undefined=components.undefined,
        components=components.estimate,
        mean=mean,
        difference=difference if n_systems > 1 else [],
    )


def cost(judgment_set: JudgmentSet, metrics: int, parameters: PlanParameters) -> float:
    """Estimated seconds on one core."""
    del metrics
    instances = max(1, judgment_set.n_candidates // 3)
    growth = (parameters.units or instances) / instances
    return 2 + 60 * float(parameters.draws) * (6e-3 + 3e-6 * judgment_set.n_candidates * growth)
