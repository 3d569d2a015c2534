"""How many ratings a study like a rated set needs."""

from typing import TypedDict

from concord.documents.comparison import RunName
from concord.documents.sampling import StoppingRuleDocument


class RuleNeeds(TypedDict):
    """`concord.sampling.plans.RulePlan`."""

    rule: str
    units: list[int]
    candidates: list[int]
    reached: float


class PassageNeeds(TypedDict):
    """`concord.planning.means.NeededPassages`."""

    raters_each: int
    passages: int | None
    low: int | None
    high: int | None


class Components(TypedDict):
    """`concord.planning.variance.VarianceComponents`."""

    passage: float | None
    answer: float
    rater: float | None
    rating: float


class MeansNeeds(TypedDict):
    """Passages for intervals of a width, from the single ratings. group: of raters. persons: their
    number. ratings_each: mean ratings of an answer. passages: how many are rated; draws: resamples
    of them; undefined: resamples without components. difference: empty with one system."""

    group: str
    persons: int
    ratings_each: float
    passages: int
    draws: int
    undefined: int
    components: Components
    mean: list[PassageNeeds]
    difference: list[PassageNeeds]


class PlanAnalysis(TypedDict):
    """The analysis "plan" of a stored set. rated: its units that are rated. units: of the simulated
    studies. wave: expected units of a wave. width: of the intervals that `needs` is about. needs:
    None where the set's ratings do not tell; `no_needs` says why."""

    metric: RunName
    systems: list[str]
    rated: int
    units: int
    wave: int
    target: StoppingRuleDocument
    width: float
    rules: list[RuleNeeds]
    needs: MeansNeeds | None
    no_needs: str
