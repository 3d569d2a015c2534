"""What a stage's sampling has drawn, and what is left."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal, get_args

from django.db.models import Count, Max, Q, QuerySet

from annotation.stages.models import StageSampling
from annotation.stages.services.continuing import unjudged
from annotation.studies.models import Stage, StudyCandidate

State = Literal["not started", "collecting", "blocked", "closed", "target reached", "budget used"]
"""blocked: a person must act first; `problem` says why. closed: a person closed the stage before
its target."""
STATES: tuple[State, ...] = get_args(State)
Remaining = tuple[int, int, int]
"""Expected number, and its 95% range."""


@dataclass(frozen=True)
class SamplingFigures:
    """A sampling with its figures.

    units: instances in all. drawn: those drawn so far, in how many waves. units_left, ratings_left:
    until the target; None where unknown. unjudged: drawn candidates that raters could not judge.
    """

    sampling: StageSampling
    units: int
    drawn: int
    waves: int
    units_left: Remaining | None
    ratings_left: Remaining | None
    unjudged: QuerySet[StudyCandidate]

    @cached_property
    def n_unjudged(self) -> int:
        return self.unjudged.count()

    @property
    def state(self) -> State:
        if self.sampling.ended_at is not None:
            is_reached = self.sampling.looks[-1]["is_reached"]
            return "target reached" if is_reached else "budget used"
        if self.sampling.stage.status == Stage.Status.CLOSED:
            return "closed"
        if self.sampling.problem:
            return "blocked"
        return "collecting" if self.waves else "not started"

    @property
    def problem(self) -> str:
        """Why the sampling cannot go on; empty if it can, and where the stage is closed."""
        return self.sampling.problem if self.state == "blocked" else ""

    @property
    def problem_at(self) -> datetime | None:
        return self.sampling.problem_at if self.problem else None


def sampling_figures(sampling: StageSampling) -> SamplingFigures:
    totals = sampling.draws.aggregate(
        waves=Max("drawn"),
        units=Count("unit", distinct=True),
        units_drawn=Count("unit", distinct=True, filter=Q(drawn__isnull=False)),
    )
    units_left: Remaining | None = None
    if sampling.ended_at is not None or sampling.stage.status == Stage.Status.CLOSED:
        units_left = 0, 0, 0
    elif sampling.looks and (remaining := sampling.looks[-1]["remaining"]):
        expected, low, high = remaining
        units_left = expected, low, high
    ratings_left: Remaining | None = None
    if units_left is not None:
        each = _ratings(sampling) / totals["units"] if totals["units"] else 0.0
        expected, low, high = (math.ceil(units * each) for units in units_left)
        ratings_left = expected, low, high
    return SamplingFigures(
        sampling,
        totals["units"],
        totals["units_drawn"],
        totals["waves"] or 0,
        units_left,
        ratings_left,
        unjudged(sampling),
    )


def _ratings(sampling: StageSampling) -> int:
    """The ratings that the protocol requires of all candidates."""
    protocol = sampling.stage.study.current.protocol
    kinds = ("candidate__instance__split", "candidate__instance__span_based")
    rows = sampling.draws.filter(candidate__same_as=None).order_by().values_list(*kinds)
    return sum(
        n * protocol.ratings_for(split, span_based=spans)
        for split, spans, n in rows.annotate(n=Count("pk"))
    )
