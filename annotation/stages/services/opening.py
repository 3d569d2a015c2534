"""Opening and closing stages: what is packed into HITs, planned, made and topped up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from annotation.rating.models import Hit, HitCandidate
from annotation.rating.services import handing_out
from annotation.stages.services import shortfalls
from annotation.stages.services.stage_plans import (
    packables,
    refuse_late_trial,
    rng_of,
    test_candidates,
    to_pack,
)
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage, StudyCandidate
from annotation.studies.services import announcing
from concord.protocols.packing import PackingCandidate, pack_hits
from core import audit

Use = StudyCandidate.Use
Kind = Stage.Kind


def open_stage(stage: Stage, *, by: User, at: datetime) -> int:
    """Pack a stage's HITs and let workers in; how many HITs. A person does this, stage by stage.

    The qualification stage may be open still: new workers take the test while the collection runs.
    Raises StudyError when the stage is open already, when the qualification stage before it was
    never opened (a trial may be left out), when there is nothing to rate, and where a trial that
    counts and the full stage would ask for the same ratings.
    """
    with transaction.atomic():
        stage = Stage.objects.select_for_update().select_related("study").get(pk=stage.pk)
        if stage.status == Stage.Status.OPEN:
            raise StudyError(f"The {stage.kind} stage is open already.")
        earlier = stage.study.stages.filter(number__lt=stage.number)
        if earlier.filter(status=Stage.Status.PLANNED).exclude(kind=Kind.TRIAL).exists():
            raise StudyError("Open the stages in their order: one before this has not been open.")
        _keep_apart(stage, at)
        if not stage.hits.exists():
            _pack_stage(stage)
        stage.status, stage.opened_by, stage.opened_at = Stage.Status.OPEN, by, at
        stage.closed_at = None
        stage.save()
        announcing.stage("stage.opened", stage, at=at)
        hits = stage.hits.count()
        audit.record(by, "stage.opened", stage, after={"HITs": hits}, study=stage.study)
        return hits


def _keep_apart(stage: Stage, at: datetime) -> None:
    """The full stage asks for what a trial that counts has not brought: so the one ends before the
    other begins, for good. Raises StudyError."""
    refuse_late_trial(stage)
    if stage.kind != Kind.FULL or not stage.study.current.protocol.trial_counts:
        return
    trial = stage.study.stages.filter(kind=Kind.TRIAL).first()
    if trial is None:
        return
    if trial.status == Stage.Status.OPEN:
        raise StudyError(
            "Close the trial stage first: its ratings count, and the full stage asks for the rest."
        )
    # Who submits meanwhile waits, and is counted once; who submits after the lease is surplus.
    list(trial.hits.select_for_update().order_by("pk").values_list("pk"))
    handing_out.release_expired(trial, at=at)
    trial.hits.update(open_slots=0)


def close_stage(stage: Stage, *, at: datetime) -> None:
    """No more HITs are handed out; what is held may still be submitted."""
    with transaction.atomic():
        Stage.objects.filter(pk=stage.pk).update(status=Stage.Status.CLOSED, closed_at=at)
        announcing.stage("stage.closed", stage, at=at)
        audit.record(None, "stage.closed", stage, study=stage.study)


def top_up(stage: Stage) -> int:
    """New HITs for candidates of an open stage that lack kept ratings; how many HITs.

    After exclusions, or where raters could not judge.
    """
    with transaction.atomic():
        stage = (
            Stage.objects.select_for_update(of=("self",)).select_related("study").get(pk=stage.pk)
        )
        if stage.status != Stage.Status.OPEN:
            return 0
        # What is lacking is counted under locks: else two who ask at once ask for it twice, and
        # a rating submitted between two counts is in neither.
        hits_of_study = Hit.objects.filter(stage__study=stage.study_id)
        list(hits_of_study.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
        wanted = dict(shortfalls.shortfall(stage))
        if not wanted:
            return 0
        candidates = list(
            StudyCandidate.objects.filter(study=stage.study, pk__in=wanted).select_related(
                "instance"
            )
        )
        packable = packables(stage.study, candidates, wanted)
        hits = _make_hits(stage, packable)
        asked = {"HITs": hits, "candidates": len(candidates)}
        audit.record(None, "stage.topped up", stage, after=asked, study=stage.study)
        return hits


def _pack_stage(stage: Stage) -> None:
    if stage.kind == Kind.QUALIFICATION:
        _make_test(stage, test_candidates(stage))
        return
    rng = rng_of(stage)
    _make_hits(stage, to_pack(stage)[1], rng)
    _add_gold(stage, rng)


def _make_hits(
    stage: Stage, packable: Sequence[PackingCandidate], rng: np.random.Generator | None = None
) -> int:
    protocol = stage.study.current.protocol
    start = (stage.hits.aggregate(last=Max("index"))["last"] or 0) + 1
    rng = rng or np.random.default_rng([stage.study.seed, stage.number, start])
    rules = protocol.hit
    packed = pack_hits(packable, rules.most_candidates, rng, same_passage=rules.same_passage)
    hits = Hit.objects.bulk_create(
        Hit(
            stage=stage,
            index=start + at,
            wanted=hit.wanted,
            open_slots=hit.wanted,
            pay_cents=protocol.pay.cents(len(hit.keys), rules.most_candidates),
        )
        for at, hit in enumerate(packed)
    )
    HitCandidate.objects.bulk_create(
        HitCandidate(hit=hit, candidate_id=key, position=position)
        for hit, found in zip(hits, packed, strict=True)
        for position, key in enumerate(found.keys)
    )
    return len(hits)


def _make_test(stage: Stage, candidates: Sequence[StudyCandidate]) -> None:
    """The qualification test: one HIT that any number of workers take."""
    protocol = stage.study.current.protocol
    most = 32_000
    hit = Hit.objects.create(
        stage=stage,
        index=1,
        wanted=most,
        open_slots=most,
        pay_cents=protocol.pay.cents(len(candidates), protocol.hit.most_candidates),
    )
    HitCandidate.objects.bulk_create(
        HitCandidate(hit=hit, candidate=candidate, position=position)
        for position, candidate in enumerate(candidates)
    )


def _add_gold(stage: Stage, rng: np.random.Generator) -> None:
    """Slip hidden gold items into a share of the HITs, one each; no item twice in a study.

    Nobody rates a candidate twice: a worker could not take a second HIT with the same gold item,
    and a small team would leave that HIT stranded. So there are no more such HITs than items.
    """
    gold = list(stage.study.candidates.filter(use=Use.GOLD, memberships=None))
    share = stage.study.current.protocol.quality.gold_share
    if not gold or not share:
        return
    hits = list(stage.hits.order_by("index"))
    chosen = rng.permutation(len(hits))[: min(len(gold), round(share * len(hits)))]
    HitCandidate.objects.bulk_create(
        HitCandidate(hit=hits[at], candidate=item, position=hits[at].members.count())
        for item, at in zip(gold, chosen, strict=False)
    )
