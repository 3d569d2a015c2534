"""What people enter about stages, on pages and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from annotation.rating.services.invitations import WORKER_ID_CHARS
from annotation.stages.models import DEFAULT_WAVE, MAX_WAVE
from concord.bounds import REQUIRED, Text, choice, items, number
from concord.formats import Limits
from concord.sampling import MIN_WAVE, SamplingRule, StoppingRule
from concord.sampling.rules import MIN_UNIFORM_SHARE, Aim, RuleName, StratifyBy
from concord.sampling.stopping import TargetKind

RULES = {
    "stratified": "by strata, more where the metrics err more",
    "uniform": "uniformly",
}
STORED_RULES = {**RULES, "active": "where the metrics were expected to err"}
"""Of a sampling that has ended, too: it may have a rule that there is no more."""
AIMS = {
    "mean": "each system's mean",
    "difference": "the difference of two systems",
    "ranking": "the ranking of systems",
    "metrics": "telling metrics apart",
}
STRATA = {"score": "score", "constituent": "constituent", "system": "systems"}
TARGETS = {
    "width": "every system's interval is at most this wide",
    "ranking": "all pairs of systems differ at this level",
    "budget": "the budget is used",
}


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """How the full stage draws what people rate, and when it stops."""

    rule: RuleName = field(metadata=choice(RULES, label="Draw instances"))
    target: TargetKind = field(metadata=choice(TARGETS, label="Stop when"))
    budget: int = field(
        metadata=number(MIN_WAVE, MAX_WAVE, label="Budget", help="The most instances to draw.")
    )
    aim: Aim = field(default="mean", metadata=choice(AIMS, label="To estimate"))
    systems: tuple[str, ...] = field(
        default=(),
        metadata=items(
            2,
            unit="systems",
            each=Text(Limits.max_name_chars, REQUIRED),
            label="The two systems",
            help="The two systems of the aim `difference`.",
        ),
    )
    strata: StratifyBy = field(
        default="score",
        metadata=choice(STRATA, label="Strata by", help="For the stratified rule."),
    )
    uniform_share: float = field(
        default=SamplingRule.uniform_share,
        metadata=number(
            MIN_UNIFORM_SHARE,
            1,
            label="Share drawn uniformly",
            help="Keeps every probability above this share of the uniform one.",
        ),
    )
    wave_size: int = field(
        default=DEFAULT_WAVE,
        metadata=number(
            MIN_WAVE,
            MAX_WAVE,
            label="Instances a wave",
            help="Expected number of instances of a wave.",
        ),
    )
    value: float | None = field(
        default=None,
        metadata=number(
            -inf,
            inf,
            label="Width or level",
            help="The width of the intervals, or the level of the ranking.",
        ),
    )

    def rules(self) -> tuple[SamplingRule, StoppingRule]:
        """The rules of these options. Raises EstimationError where they do not fit together."""
        rule = SamplingRule(
            self.rule,
            self.aim,
            self.systems,
            by=self.strata,
            uniform_share=self.uniform_share,
        )
        value = 0.0 if self.target == "budget" else self.value or 0.0
        return rule, StoppingRule(self.target, value, self.budget)


@dataclass(frozen=True, slots=True)
class Invited:
    """The raters who get a signed link."""

    workers: tuple[str, ...] = field(
        metadata=items(
            1000,
            min_items=1,
            unit="names",
            each=Text(WORKER_ID_CHARS, REQUIRED),
            required="enter at least one name or id",
            label="Names or ids of raters",
            help="Names or ids of raters. They are stored encrypted once the rater joins.",
        )
    )
