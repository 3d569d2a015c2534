"""The cost and progress of a study's stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Aggregate, Count, Max, Q, QuerySet, Sum

from annotation.quality.services.ledgers import ledger_state
from annotation.quality.services.rating_data import cached
from annotation.rating.models import Assignment, Hit, Participation, Rating
from annotation.stages.services.stage_plans import (
    existing_hits,
    planned_hits,
)
from annotation.studies.models import Stage, Study
from concord.protocols.packing import PackedHit
from core.refusals import RefusedError

PAID = (Assignment.Status.SUBMITTED, Assignment.Status.SURPLUS)


@dataclass(frozen=True)
class StageCost:
    """What a complete stage requires; pay in cents.

    For a qualification test the figures are for one worker and one try (`each`). `problem` says why
    a stage's HITs cannot be planned yet; the figures are then zero. `single_candidate_hits` counts
    HITs with one candidate.
    """

    stage: Stage
    hits: int = 0
    candidates: int = 0
    assignments: int = 0
    ratings: int = 0
    pay_cents: int = 0
    each: bool = False
    by_ratings: dict[int, int] = field(default_factory=dict)
    single_candidate_hits: int = 0
    candidates_in_hits: int = 0
    problem: str = ""

    @property
    def candidates_per_hit(self) -> float | None:
        """The mean size of the HITs; None without HITs."""
        return self.candidates_in_hits / self.hits if self.hits else None

    @property
    def has_small_hits(self) -> bool:
        """Whether HITs have less than half of the candidates that the protocol allows, on
        average."""
        max_candidates = self.stage.study.current.protocol.hit.max_candidates
        size = self.candidates_per_hit
        return not self.each and size is not None and size < max_candidates / 2


@dataclass(frozen=True)
class StudyCost:
    """The costs of the stages, and the total without the qualification test."""

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
    """HITs, assignments, ratings and pay of every stage. Opening it creates exactly these HITs."""
    stages = list(study.stages.select_related("study").order_by("number"))
    return StudyCost([stage_cost(stage) for stage in stages])


def stage_cost(stage: Stage) -> StageCost:
    """One stage's cost: of its HITs, or of those that opening it would create. Cached."""
    key = _plan_key(stage)
    cost = cached(stage.study, ("cost", *key), lambda: _compute_cost(stage, key))
    return replace(cost, stage=stage)


def cached_plan(stage: Stage) -> list[PackedHit]:
    """`planned_hits`, cached: the packing of all candidates takes most of a page's time."""
    return _cached_plan(stage, _plan_key(stage))


def _cached_plan(stage: Stage, key: tuple[Hashable, ...]) -> list[PackedHit]:
    return cached(stage.study, ("plan", *key), lambda: planned_hits(stage))


def _plan_key(stage: Stage) -> tuple[Hashable, ...]:
    """What a stage's HITs depend on, besides the ratings; five queries."""
    study = stage.study
    candidates = study.candidates.aggregate(n=Count("pk"), last=Max("pk"))
    hits = Hit.objects.filter(stage__study=study).aggregate(
        n=Count("pk"), wanted=Sum("wanted"), pay=Sum("pay_cents")
    )
    stages = tuple(study.stages.order_by("pk").values_list("pk", "status"))
    protocol, ledger = repr(study.current.protocol), ledger_state(study)
    created = study.created_at.isoformat()
    figures = (*candidates.values(), *hits.values())
    return (stage.pk, created, study.seed, stages, protocol, ledger, *figures)


def _compute_cost(stage: Stage, key: tuple[Hashable, ...]) -> StageCost:
    each = stage.kind == Stage.Kind.QUALIFICATION
    hits = existing_hits(stage)
    if hits:
        return _cost(stage, hits, each)
    try:
        plan = _cached_plan(stage, key)
    except RefusedError as error:
        return StageCost(stage, each=each, problem=str(error))
    protocol = stage.study.current.protocol
    max_candidates = protocol.hit.max_candidates
    return _cost(
        stage, [(hit, protocol.pay.cents(len(hit.keys), max_candidates)) for hit in plan], each
    )


def _cost(stage: Stage, hits: list[tuple[PackedHit, int]], each: bool) -> StageCost:
    ratings_by_candidate: Counter[int] = Counter()
    for hit, _ in hits:
        for key in hit.keys:
            ratings_by_candidate[key] += hit.wanted
    return StageCost(
        stage=stage,
        hits=len(hits),
        candidates=len(ratings_by_candidate),
        assignments=sum(hit.wanted for hit, _ in hits),
        ratings=sum(hit.wanted * len(hit.keys) for hit, _ in hits),
        pay_cents=sum(hit.wanted * pay for hit, pay in hits),
        each=each,
        by_ratings=dict(sorted(Counter(ratings_by_candidate.values()).items())),
        single_candidate_hits=sum(len(hit.keys) == 1 for hit, _ in hits),
        candidates_in_hits=sum(len(hit.keys) for hit, _ in hits),
    )


@dataclass(frozen=True)
class StageProgress:
    """The progress of a stage. `wanted` is None for the test, which any number may take.

    earned_cents: pay for all submissions, whether they count or not. passed, failed: tests taken,
    by result; a worker who failed one and passed the next counts in both.
    """

    stage: Stage
    hits: int = 0
    wanted: int | None = 0
    submitted: int = 0
    held: int = 0
    surplus: int = 0
    workers: int = 0
    ratings: int = 0
    simulated: int = 0
    cannot_judge: int = 0
    earned_cents: int = 0
    passed: int = 0
    failed: int = 0

    @property
    def tests(self) -> int:
        """How many qualification tests were taken and graded."""
        return self.passed + self.failed

    @property
    def share(self) -> float:
        return 0.0 if not self.wanted else min(1.0, self.submitted / self.wanted)

    @property
    def percent(self) -> int:
        return int(100 * self.share)


def stages_progress(study: Study) -> list[StageProgress]:
    """Each stage's progress, in order; four queries for any number of stages."""
    status = Assignment.Status
    groups = (
        _by_stage(
            Hit.objects.filter(stage__study=study), "stage", hits=Count("pk"), wanted=Sum("wanted")
        ),
        _by_stage(
            Assignment.objects.filter(hit__stage__study=study),
            "hit__stage",
            submitted=Count("pk", filter=Q(status=status.SUBMITTED)),
            held=Count("pk", filter=Q(status=status.HELD)),
            surplus=Count("pk", filter=Q(status=status.SURPLUS)),
            workers=Count("worker", distinct=True, filter=Q(status__in=PAID)),
            # The pay of a test that is being repeated stays earned.
            earned_cents=Sum("pay_cents", filter=Q(submitted_at__isnull=False), default=0),
        ),
        _by_stage(
            Rating.objects.filter(
                assignment__hit__stage__study=study, assignment__status=status.SUBMITTED
            ),
            "assignment__hit__stage",
            ratings=Count("pk"),
            simulated=Count("pk", filter=Q(simulated=True)),
            cannot_judge=Count("pk", filter=Q(value=None)),
        ),
    )
    progress = []
    for stage in study.stages.select_related("study", "opened_by").order_by("number"):
        figures: dict[str, Any] = {}
        for group in groups:
            figures |= group.get(stage.pk, {})
        if stage.kind == Stage.Kind.QUALIFICATION:
            figures |= {"wanted": None, **_test_results(study)}
        progress.append(StageProgress(stage, **figures))
    return progress


def _by_stage(rows: QuerySet[Any], stage: str, **figures: Aggregate) -> dict[int, dict[str, int]]:
    """By stage, the figures of its rows."""
    # A prefix, because an annotation must not have the name of a field.
    aggregates = {f"n_{name}": figure for name, figure in figures.items()}
    counted = rows.order_by().values_list(stage).annotate(**aggregates)
    return {pk: dict(zip(figures, values, strict=True)) for pk, *values in counted}


def _test_results(study: Study) -> dict[str, int]:
    """How many tests were passed and failed. A test that the platform ran has no tries here."""
    has_passed = Q(qualified=Participation.Qualified.PASSED)
    figures = study.participations.aggregate(
        passed=Count("pk", filter=has_passed),
        passed_here=Count("pk", filter=has_passed & Q(tries__gt=0)),
        tries=Sum("tries", default=0),
    )
    return {"passed": figures["passed"], "failed": figures["tries"] - figures["passed_here"]}
