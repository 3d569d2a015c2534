"""The sampling of a study's full stage."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, TypedDict

from concord.documents.base import Document
from concord.documents.conversion import Timestamp


class SamplingRuleDocument(TypedDict):
    """How instances are drawn."""

    name: Annotated[
        Literal["uniform", "stratified", "active"], "`active`: of samplings before release 0.3.0."
    ]
    aim: Literal["mean", "difference", "ranking", "metrics"]
    systems: list[str]
    by: Annotated[Literal["score", "system", "constituent"], "What strata are made by."]
    uniform_share: float


class StoppingRuleDocument(TypedDict):
    """When the stage has enough ratings."""

    kind: Literal["width", "ranking", "budget"]
    value: Annotated[float, "The width or the level; 0 for a budget."]
    budget: Annotated[int, "The most instances to draw."]


class SampledMeanDocument(TypedDict):
    """The mean of a system over all candidates, drawn or not."""

    mean: float | None
    ci: list[float] | None
    reason: Annotated[str, "Why there is no interval, or no use of the metrics."]


class LookDocument(TypedDict):
    """What was known after a wave."""

    at: Timestamp
    waves: int
    units: Annotated[int, "Instances drawn by these waves."]
    share: Annotated[float, "Share of the budget."]
    level: Annotated[float, "1 - the confidence of the intervals of this look."]
    width: Annotated[float | None, "Of the widest interval."]
    unresolved: Annotated[list[list[str]], "Pairs of systems that do not differ significantly."]
    is_reached: Annotated[bool, "Whether the target is reached."]
    remaining: Annotated[
        list[int] | None, "Expected number of instances until the target, and its 95% range."
    ]
    systems: dict[str, SampledMeanDocument]


@dataclass(frozen=True, kw_only=True)
class SamplingDocument(Document):
    """A stage's sampling rule, its waves and looks, and whether it goes on."""

    state: Annotated[
        Literal["not started", "collecting", "blocked", "closed", "target reached", "budget used"],
        "`blocked`: a person must act first; `problem` says why. `closed`: a person "
        "closed the stage before its target.",
    ]
    rule: SamplingRuleDocument
    stopping: StoppingRuleDocument
    wave_size: int
    seed: Annotated[int, "Of the draws."]
    metrics: list[str]
    units: Annotated[int, "Instances in all."]
    drawn: Annotated[int, "Instances drawn so far."]
    waves: int
    looks: list[LookDocument]
    units_left: Annotated[
        list[int] | None, "Expected number of instances until the target, and its 95% range."
    ]
    ratings_left: Annotated[list[int] | None, "The same in ratings."]
    unjudged: Annotated[list[str], "Keys of drawn candidates that raters could not judge."]
    problem: Annotated[str, "Why it cannot go on; empty if it can."]
    problem_at: datetime | None
    ended_at: datetime | None
