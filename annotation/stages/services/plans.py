"""What a study will ask and cost, and how far it has got, stage by stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, Q, Sum

from annotation.rating.models import Assignment, Hit, Participation, Rating
from annotation.stages.services.stage_plans import made_hits, planned_hits
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage, Study
from concord.protocols.packing import PackedHit

Figures = Mapping[int, Mapping[str, Any]]
PAID = (Assignment.Status.SUBMITTED, Assignment.Status.SURPLUS)


@dataclass(frozen=True)
class StageCost:
    """What a stage asks for when everything is collected; pay in cents.

    For a qualification test the figures are those of one worker taking it once (`each`). `problem`
    says why a stage cannot be packed yet; the figures are then zero.
    """

    stage: Stage
    hits: int = 0
    candidates: int = 0
    assignments: int = 0
    ratings: int = 0
    pay_cents: int = 0
    each: bool = False
    by_ratings: dict[int, int] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class StudyCost:
    """The stages' costs, and their total without the qualification test."""

    stages: list[StageCost]

    @property
    def assignments(self) -> int:
        return sum(cost.assignments for cost in self.stages if not cost.each)

    @property
    def ratings(self) -> int:
        return sum(cost.ratings for cost in self.stages if not cost.each)

    @property
    def hits(self) -> int:
        return sum(cost.hits for cost in self.stages if not cost.each)

    @property
    def pay_cents(self) -> int:
        return sum(cost.pay_cents for cost in self.stages if not cost.each)


def study_cost(study: Study) -> StudyCost:
    """HITs, assignments, ratings and pay of every stage, by the packing that opening it makes."""
    stages = list(study.stages.select_related("study").order_by("number"))
    return StudyCost([stage_cost(stage) for stage in stages])


def stage_cost(stage: Stage) -> StageCost:
    """One stage's cost: of its HITs where it was opened, else of those opening it would make."""
    each = stage.kind == Stage.Kind.QUALIFICATION
    made = made_hits(stage)
    if made:
        return _cost(stage, made, each)
    try:
        plan = planned_hits(stage)
    except StudyError as error:
        return StageCost(stage, each=each, problem=str(error))
    protocol = stage.study.current.protocol
    most = protocol.hit.most_candidates
    return _cost(stage, [(hit, protocol.pay.cents(len(hit.keys), most)) for hit in plan.hits], each)


def _cost(stage: Stage, hits: list[tuple[PackedHit, int]], each: bool) -> StageCost:
    wanted: Counter[int] = Counter()
    for hit, _ in hits:
        for key in hit.keys:
            wanted[key] += hit.wanted
    return StageCost(
        stage=stage,
        hits=len(hits),
        candidates=len(wanted),
        assignments=sum(hit.wanted for hit, _ in hits),
        ratings=sum(hit.wanted * len(hit.keys) for hit, _ in hits),
        pay_cents=sum(hit.wanted * pay for hit, pay in hits),
        each=each,
        by_ratings=dict(sorted(Counter(wanted.values()).items())),
    )


@dataclass(frozen=True)
class StageProgress:
    """How far a stage has got. `wanted` is None for the test, which any number may take.

    earned_cents: pay for everything submitted, counted or not. passed, failed: of the test.
    """

    stage: Stage
    hits: int
    wanted: int | None
    submitted: int
    held: int
    surplus: int
    workers: int
    ratings: int
    simulated: int
    cannot_judge: int
    earned_cents: int
    passed: int = 0
    failed: int = 0

    @property
    def share(self) -> float:
        return 0.0 if not self.wanted else min(1.0, self.submitted / self.wanted)

    @property
    def percent(self) -> int:
        return int(100 * self.share)


def stages_progress(study: Study) -> list[StageProgress]:
    """Each stage's progress, in order; four queries however many stages there are."""
    stages = list(study.stages.select_related("study", "opened_by").order_by("number"))
    hits = {
        row["stage"]: row
        for row in Hit.objects.filter(stage__study=study)
        .order_by()
        .values("stage")
        .annotate(n=Count("pk"), total=Sum("wanted"))
    }
    status = Assignment.Status
    done = Q(status__in=PAID)
    held = {
        row["kind"]: row
        for row in Assignment.objects.filter(hit__stage__study=study)
        .order_by()
        .values(kind=F("hit__stage"))
        .annotate(
            submitted=Count("pk", filter=Q(status=status.SUBMITTED)),
            held=Count("pk", filter=Q(status=status.HELD)),
            surplus=Count("pk", filter=Q(status=status.SURPLUS)),
            people=Count("worker", distinct=True, filter=done),
            earned=Sum("pay_cents", filter=done),
        )
    }
    ratings = {
        row["kind"]: row
        for row in Rating.objects.filter(
            assignment__hit__stage__study=study, assignment__status=status.SUBMITTED
        )
        .order_by()
        .values(kind=F("assignment__hit__stage"))
        .annotate(
            n=Count("pk"),
            simulated_ones=Count("pk", filter=Q(simulated=True)),
            none=Count("pk", filter=Q(value=None)),
        )
    }
    return [_progress(stage, hits, held, ratings) for stage in stages]


def _progress(
    stage: Stage,
    hits: Figures,
    held: Figures,
    ratings: Figures,
) -> StageProgress:
    made, assigned, rated = (found.get(stage.pk, {}) for found in (hits, held, ratings))
    test = stage.kind == Stage.Kind.QUALIFICATION
    people = stage.study.participations
    qualified = Participation.Qualified
    return StageProgress(
        stage=stage,
        hits=made.get("n", 0),
        wanted=None if test else made.get("total", 0),
        submitted=assigned.get("submitted", 0),
        held=assigned.get("held", 0),
        surplus=assigned.get("surplus", 0),
        workers=assigned.get("people", 0),
        ratings=rated.get("n", 0),
        simulated=rated.get("simulated_ones", 0),
        cannot_judge=rated.get("none", 0),
        earned_cents=assigned.get("earned", 0) or 0,
        passed=people.filter(qualified=qualified.PASSED).count() if test else 0,
        failed=people.filter(qualified=qualified.FAILED).count() if test else 0,
    )
