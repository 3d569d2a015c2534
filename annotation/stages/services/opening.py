"""Opening and closing stages, and requesting missing ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Max

from annotation.rating.models import Hit, HitCandidate
from annotation.rating.services import handing_out
from annotation.stages.services import (
    missing_ratings,
    sampling_rules,
    sampling_waves,
)
from annotation.stages.services.stage_plans import (
    candidates_to_pack,
    check_trial_can_open,
    packables,
    rated_candidates,
    stage_rng,
    test_candidates,
)
from annotation.studies.models import Stage, StudyCandidate
from annotation.studies.services import announcing, checks
from concord.protocols.packing import PackingCandidate, pack_hits
from core import audit
from core.refusals import RefusedError

Use = StudyCandidate.Use
Kind = Stage.Kind


def open_stage(stage: Stage, *, by: User, at: datetime) -> int:
    """Create a stage's HITs and admit workers; returns how many HITs. A person opens each stage.

    The qualification stage may stay open, so that new workers can take the test during the
    collection. Raises RefusedError if the study is archived, if the stage is open, if the
    qualification stage was never opened (a trial may be skipped), if there is nothing to rate, if
    correct answers do not fit the protocol, if it is a second look, which earlier versions had, if
    one is open, and if a trial that counts and the full stage would request the same ratings.
    """
    with transaction.atomic():
        stage = Stage.objects.select_for_update().select_related("study").get(pk=stage.pk)
        if stage.study.archived_at is not None:
            raise RefusedError(
                "The study is archived. Restore it on its Settings page first.", "study-refused"
            )
        if stage.status == Stage.Status.OPEN:
            raise RefusedError(f"The {stage.kind} stage is already open.", "study-refused")
        earlier = stage.study.stages.filter(number__lt=stage.number)
        if earlier.filter(status=Stage.Status.PLANNED).exclude(kind=Kind.TRIAL).exists():
            raise RefusedError(
                "Open the stages in order: an earlier stage was never opened.", "study-refused"
            )
        _check_is_alone(stage)
        _end_trial(stage, at)
        if not stage.hits.exists():
            _pack_stage(stage)
        stage.status, stage.opened_by, stage.opened_at = Stage.Status.OPEN, by, at
        stage.closed_at = stage.paused_at = None
        stage.save()
        announcing.stage("stage.opened", stage, at=at)
        hits = stage.hits.count()
        audit.record(by, "stage.opened", stage, after={"HITs": hits}, study=stage.study)
        return hits


def _check_is_alone(stage: Stage) -> None:
    """Raise RefusedError for a second look, and for a full stage beside an open one: workers rate
    in the latest open stage, so the full stage would get no more ratings."""
    if stage.kind == Kind.SECOND_LOOK:
        raise RefusedError(
            "Second looks are not collected any more; their ratings are kept.", "study-refused"
        )
    looks = stage.study.stages.filter(kind=Kind.SECOND_LOOK, status=Stage.Status.OPEN)
    if stage.kind == Kind.FULL and looks.exists():
        raise RefusedError(
            "Close the second-look stage first: workers rate in one of the two.", "study-refused"
        )


def _end_trial(stage: Stage, at: datetime) -> None:
    """End a trial that counts for good before the full stage begins. Raises RefusedError.

    The full stage requests the ratings that the trial has not collected.
    """
    check_trial_can_open(stage)
    if stage.kind != Kind.FULL or not stage.study.current.protocol.trial_counts:
        return
    trial = stage.study.stages.filter(kind=Kind.TRIAL).first()
    if trial is None:
        return
    if trial.status == Stage.Status.OPEN:
        raise RefusedError(
            "Close the trial stage first: its ratings count, and the full stage requests the rest.",
            "study-refused",
        )
    # Concurrent submissions wait for the lock and count once; late ones become surplus.
    list(trial.hits.select_for_update().order_by("pk").values_list("pk"))
    handing_out.release_expired(trial, at=at)
    trial.hits.update(open_slots=0)


def close_stage(stage: Stage, *, at: datetime) -> None:
    """Assign no more HITs. HITs in progress may still be submitted."""
    with transaction.atomic():
        Stage.objects.filter(pk=stage.pk).update(
            status=Stage.Status.CLOSED, closed_at=at, paused_at=None
        )
        announcing.stage("stage.closed", stage, at=at)
        audit.record(None, "stage.closed", stage, study=stage.study)


def top_up(stage: Stage) -> int:
    """Create HITs for candidates of an open stage with too few ratings; returns how many HITs.

    Ratings are missing after exclusions, or if raters could not judge.
    """
    with transaction.atomic():
        stage = (
            Stage.objects.select_for_update(of=("self",)).select_related("study").get(pk=stage.pk)
        )
        if stage.status != Stage.Status.OPEN:
            return 0
        missing = lock_and_count_missing(stage)
        return request_ratings(stage, missing) if missing else 0


def lock_and_count_missing(stage: Stage) -> dict[int, int]:
    """Missing ratings by candidate, counted under locks.

    Otherwise two concurrent requests would both create them, and a rating submitted between two
    counts would be in neither.
    """
    hits_of_study = Hit.objects.filter(stage__study=stage.study_id)
    list(hits_of_study.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    return dict(missing_ratings.candidates_missing_ratings(stage))


def request_ratings(stage: Stage, missing: Mapping[int, int]) -> int:
    """Create HITs for these ratings by candidate; returns how many HITs."""
    candidates = rated_candidates(StudyCandidate.objects.filter(study=stage.study, pk__in=missing))
    hits = len(make_hits(stage, packables(stage.study, candidates, missing)))
    about = {"HITs": hits, "candidates": len(candidates)}
    audit.record(None, "stage.topped up", stage, after=about, study=stage.study)
    return hits


def _pack_stage(stage: Stage) -> None:
    if stage.kind == Kind.QUALIFICATION:
        checks.check_stored_keys(stage.study, Use.QUALIFICATION)
        _make_test(stage, test_candidates(stage))
        return
    checks.check_stored_keys(stage.study, Use.GOLD)
    rng = stage_rng(stage)
    if (design := sampling_rules.sampling_of(stage)) is not None:
        sampling_rules.check_draws(design)
        sampling_waves.draw_next(design, sampling_waves.collection_of(design))
    hits = make_hits(stage, candidates_to_pack(stage), rng)
    add_gold(stage, hits, rng)


def make_hits(
    stage: Stage, packable: Sequence[PackingCandidate], rng: np.random.Generator | None = None
) -> list[Hit]:
    """Pack candidates into new HITs of the stage."""
    protocol = stage.study.current.protocol
    start = (stage.hits.aggregate(last=Max("index"))["last"] or 0) + 1
    rng = rng or np.random.default_rng([stage.study.seed, stage.number, start])
    rules = protocol.hit
    packed = pack_hits(packable, rules.max_candidates, rng, same_passage=rules.same_passage)
    hits = Hit.objects.bulk_create(
        Hit(
            stage=stage,
            index=start + number,
            wanted=hit.wanted,
            open_slots=hit.wanted,
            pay_cents=protocol.pay.cents(len(hit.keys), rules.max_candidates),
        )
        for number, hit in enumerate(packed)
    )
    HitCandidate.objects.bulk_create(
        HitCandidate(hit=hit, candidate_id=key, position=position)
        for hit, packed_hit in zip(hits, packed, strict=True)
        for position, key in enumerate(packed_hit.keys)
    )
    return hits


def _make_test(stage: Stage, candidates: Sequence[StudyCandidate]) -> None:
    """Create the qualification test: one HIT that any number of workers take."""
    protocol = stage.study.current.protocol
    max_workers = 32_000
    hit = Hit.objects.create(
        stage=stage,
        index=1,
        wanted=max_workers,
        open_slots=max_workers,
        pay_cents=protocol.pay.cents(len(candidates), protocol.hit.max_candidates),
    )
    HitCandidate.objects.bulk_create(
        HitCandidate(hit=hit, candidate=candidate, position=position)
        for position, candidate in enumerate(candidates)
    )


def add_gold(stage: Stage, hits: Sequence[Hit], rng: np.random.Generator) -> None:
    """Add hidden checks to some new HITs, one each; no item is used twice in a study.

    With the earlier ones, a share of the stage's HITs has a check.
    Nobody rates a candidate twice, so a worker could not take a second HIT with the same check, and
    a small team could not complete it. So there are at most as many such HITs as checks.
    """
    gold = list(stage.study.candidates.filter(use=Use.GOLD, memberships=None))
    share = stage.study.current.protocol.quality.gold_share
    if not gold or not share:
        return
    checked = HitCandidate.objects.filter(hit__stage=stage, candidate__use=Use.GOLD).count()
    wanted = max(0, round(share * stage.hits.count()) - checked)
    selected = rng.permutation(len(hits))[: min(len(gold), wanted)]
    checked_hits = [hits[index] for index in selected]
    sizes = dict(
        Hit.objects.filter(pk__in=[hit.pk for hit in checked_hits])
        .annotate(size=Count("members"))
        .values_list("pk", "size")
    )
    HitCandidate.objects.bulk_create(
        HitCandidate(hit=hit, candidate=item, position=sizes[hit.pk])
        for item, hit in zip(gold, checked_hits, strict=False)
    )
