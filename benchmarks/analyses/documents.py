"""Types of the parameters and results of stored analyses."""

from __future__ import annotations

from typing import Literal, TypedDict, cast

from benchmarks.analyses.models import Analysis
from concord.documents.choices import ChoicesAnalysis
from concord.documents.combination import CombinationAnalysis
from concord.documents.comparison import AgreementAnalysis
from concord.documents.criteria import CriteriaAnalysis
from concord.documents.estimate import EstimateAnalysis
from concord.documents.judge import JudgeAnalysis
from concord.documents.judges import JudgesAnalysis, SentinelJudgesAnalysis
from concord.documents.learning import LearningAnalysis
from concord.documents.plan import PlanAnalysis
from concord.documents.plane import PlaneAnalysis
from concord.documents.replay import ReplayAnalysis
from concord.documents.sentinels import SentinelsAnalysis
from concord.documents.spans import SpansAnalysis
from concord.documents.systems import SystemsAnalysis
from concord.estimation import Target
from concord.meta.inference import Coefficient, Grouping, Resample
from concord.meta.inference.swaps import Unit
from scorers.plane.grid import Level


class PartParameters(TypedDict):
    """The part of a set: a group of a grouping; the whole set if both are ""."""

    by: str
    group: str


class AgreementParameters(PartParameters):
    """`ComparisonOptions`, on a part of the set."""

    coefficient: Coefficient
    average: Grouping
    resample: Resample
    unit: Unit
    draws: int
    seed: int


class SystemsParameters(PartParameters):
    """How systems are compared; `soft_draws`: the draws of soft pairwise accuracy."""

    resample: Resample
    draws: int
    soft_draws: int
    seed: int


class LearningParameters(PartParameters):
    """How a learning curve is computed."""

    coefficient: Coefficient
    draws: int
    seed: int


class JudgesParameters(TypedDict):
    """Raters: their group. epsilon: what a metric's lower cost is worth, as text."""

    raters: str
    epsilon: str
    draws: int
    seed: int


class JudgeParameters(JudgesParameters):
    """The same of one metric run; family: systems of the judge's own family, comma-separated."""

    run: int
    family: str


class ReplayParameters(TypedDict):
    """run: the metric run, 0 for the one with the highest Pearson correlation. rule: "samples" of
    fixed sizes, or the sampling rule of a collection that stops at the target: "ranking", or the
    width of intervals as a percentage of the scale."""

    run: int
    rule: str
    target: str
    draws: int
    seed: int


class PlanParameters(TypedDict):
    """run, target: as in `ReplayParameters`. units: instances of the planned study; 0: as many as
    the set has rated ones."""

    run: int
    target: str
    units: int
    draws: int
    seed: int


class CombinationParameters(TypedDict):
    """How the correlations are computed."""

    coefficient: Coefficient
    draws: int
    seed: int


class SentinelsParameters(CombinationParameters):
    """The same; seed: also of the sample of a large set."""


class EstimateParameters(TypedDict):
    """run: the metric run, 0 for the first on the board. target: what is estimated."""

    run: int
    target: Target


class BootstrapParameters(TypedDict):
    """Of the bootstraps of passages."""

    draws: int
    seed: int


class SpansParameters(BootstrapParameters):
    """weights: what errors cost, as `concord.spans.Weights.parse` reads it."""

    weights: str


class PlaneParameters(TypedDict):
    """How the grid is computed, and the set's position ("": as suggested)."""

    stems: Literal["porter", "none"]
    stops: Literal["none", "closed-class"]
    level: Level
    penalty: Literal["intended", "printed"]
    wordiness: str
    guideline: str
    application: str
    flooded: Literal["no", "yes"]
    draws: int
    seed: int


class ComparisonDocument(TypedDict):
    """A stored comparison as a file."""

    judgment_set: str
    version: int
    content_hash: str
    illustrative: bool
    kind: str
    parameters: AgreementParameters
    date: str
    result: AgreementAnalysis


def agreement_parameters(analysis: Analysis) -> AgreementParameters:
    """The parameters of an analysis of the kind "agreement"."""
    return cast(AgreementParameters, analysis.parameters)


def agreement(analysis: Analysis) -> AgreementAnalysis:
    """The result of a complete analysis of the kind "agreement"."""
    return cast(AgreementAnalysis, analysis.result)


def systems(analysis: Analysis) -> SystemsAnalysis:
    """The result of a complete analysis of the kind "systems"."""
    return cast(SystemsAnalysis, analysis.result)


def learning(analysis: Analysis) -> LearningAnalysis:
    """The result of a complete analysis of the kind "learning"."""
    return cast(LearningAnalysis, analysis.result)


def judges(analysis: Analysis) -> JudgesAnalysis:
    """The result of a complete analysis of the kind "judges"."""
    return cast(JudgesAnalysis, analysis.result)


def sentinel_judges(analysis: Analysis) -> SentinelJudgesAnalysis:
    """The result of a complete analysis of the kind "sentinel-judges"."""
    return cast(SentinelJudgesAnalysis, analysis.result)


def judge(analysis: Analysis) -> JudgeAnalysis:
    """The result of a complete analysis of the kind "judge"."""
    return cast(JudgeAnalysis, analysis.result)


def replay(analysis: Analysis) -> ReplayAnalysis:
    """The result of a complete analysis of the kind "replay"."""
    return cast(ReplayAnalysis, analysis.result)


def plan(analysis: Analysis) -> PlanAnalysis:
    """The result of a complete analysis of the kind "plan"."""
    return cast(PlanAnalysis, analysis.result)


def sentinels(analysis: Analysis) -> SentinelsAnalysis:
    """The result of a complete analysis of the kind "sentinels"."""
    return cast(SentinelsAnalysis, analysis.result)


def combination(analysis: Analysis) -> CombinationAnalysis:
    """The result of a complete analysis of the kind "combination"."""
    return cast(CombinationAnalysis, analysis.result)


def estimate(analysis: Analysis) -> EstimateAnalysis:
    """The result of a complete analysis of the kind "estimate"."""
    return cast(EstimateAnalysis, analysis.result)


def choices(analysis: Analysis) -> ChoicesAnalysis:
    """The result of a complete analysis of the kind "choices"."""
    return cast(ChoicesAnalysis, analysis.result)


def criteria(analysis: Analysis) -> CriteriaAnalysis:
    """The result of a complete analysis of the kind "criteria"."""
    return cast(CriteriaAnalysis, analysis.result)


def spans(analysis: Analysis) -> SpansAnalysis:
    """The result of a complete analysis of the kind "spans"."""
    return cast(SpansAnalysis, analysis.result)


def plane(analysis: Analysis) -> PlaneAnalysis:
    """The result of a complete analysis of the kind "plane"."""
    return cast(PlaneAnalysis, analysis.result)
