"""Opening and closing stages: what is packed into HITs, planned, made and topped up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

import audit
from annotation.models import (
    Hit,
    HitCandidate,
    Stage,
    Study,
    StudyCandidate,
)
from annotation.packing import (
    Packable,
    PackedHit,
    pack,
)
from annotation.services import announcing, shortfalls
from annotation.services.studies import StudyError

Use = StudyCandidate.Use
Kind = Stage.Kind


def open_stage(stage: Stage, *, by: User, at: datetime) -> int:
    """Pack a stage's HITs and let workers in; how many HITs. A person does this, stage by stage.

    Earlier stages may be open still: new workers take the test while the collection runs. Raises
    StudyError when the stage is open already, when the qualification stage before it was never
    opened (a trial may be left out), or when there is nothing to rate.
    """
    with transaction.atomic():
        stage = Stage.objects.select_for_update().select_related("study").get(pk=stage.pk)
        if stage.status == Stage.Status.OPEN:
            raise StudyError(f"The {stage.kind} stage is open already.")
        earlier = stage.study.stages.filter(number__lt=stage.number)
        if earlier.filter(status=Stage.Status.PLANNED).exclude(kind=Kind.TRIAL).exists():
            raise StudyError("Open the stages in their order: one before this has not been open.")
        if not stage.hits.exists():
            _pack_stage(stage)
        stage.status, stage.opened_by, stage.opened_at = Stage.Status.OPEN, by, at
        stage.closed_at = None
        stage.save()
        announcing.stage("stage.opened", stage, at=at)
        hits = stage.hits.count()
        audit.record(by, "stage.opened", stage, after={"HITs": hits}, study=stage.study)
        return hits


def close_stage(stage: Stage, *, at: datetime) -> None:
    """No more HITs are handed out; what is held may still be submitted."""
    with transaction.atomic():
        Stage.objects.filter(pk=stage.pk).update(status=Stage.Status.CLOSED, closed_at=at)
        announcing.stage("stage.closed", stage, at=at)
        audit.record(None, "stage.closed", stage, study=stage.study)


def top_up(stage: Stage, short: Sequence[tuple[int, int]]) -> int:
    """New HITs for candidates that lack kept ratings; `short` holds (candidate, how many).

    After exclusions, or where raters could not judge. Returns how many HITs were made.
    """
    wanted = dict(short)
    with transaction.atomic():
        stage = Stage.objects.select_for_update().select_related("study").get(pk=stage.pk)
        candidates = list(
            StudyCandidate.objects.filter(study=stage.study, pk__in=wanted).select_related(
                "instance"
            )
        )
        packable = _to_pack(stage.study, candidates, wanted, before=stage.number + 1)
        hits = _make_hits(stage, packable)
        asked = {"HITs": hits, "candidates": len(candidates)}
        audit.record(None, "stage.topped up", stage, after=asked, study=stage.study)
        return hits


@dataclass(frozen=True)
class PlannedHits:
    """What opening a stage would make: its HITs, in order, and who is in them.

    `candidates` holds the candidates by key of the HITs. A qualification test is one HIT that any
    number of workers take; its `wanted` is 1, so that costs count one worker.
    """

    hits: list[PackedHit]
    candidates: dict[int, StudyCandidate]


def planned_hits(stage: Stage) -> PlannedHits:
    """The HITs that `open_stage` will make, without making any: the same seed, the same HITs.

    Hidden gold items are not in them. Raises StudyError where the stage could not be packed.
    """
    if stage.kind == Kind.QUALIFICATION:
        test = _test_candidates(stage)
        return PlannedHits([PackedHit(tuple(c.pk for c in test), 1)], {c.pk: c for c in test})
    rated, packable = _packable(stage)
    rules = stage.study.current.protocol.hit
    hits = pack(packable, rules.most_candidates, _rng(stage), same_passage=rules.same_passage)
    return PlannedHits(hits, {c.pk: c for c in rated})


def _pack_stage(stage: Stage) -> None:
    if stage.kind == Kind.QUALIFICATION:
        _make_test(stage, _test_candidates(stage))
        return
    rng = _rng(stage)
    _make_hits(stage, _packable(stage)[1], rng)
    _add_gold(stage, rng)


def _rng(stage: Stage) -> np.random.Generator:
    return np.random.default_rng([stage.study.seed, stage.number])


def _test_candidates(stage: Stage) -> list[StudyCandidate]:
    rules = stage.study.current.protocol.qualification
    if rules is None:
        raise StudyError("The protocol has no qualification test any more.")
    test = list(
        stage.study.candidates.filter(use=Use.QUALIFICATION)
        .select_related("instance")
        .order_by("position")
    )
    if len(test) < rules.candidates:
        raise StudyError(
            f"The qualification test needs {rules.candidates} candidates with a right value; the "
            f"study has {len(test)}. Upload more, or change the protocol."
        )
    return test[: rules.candidates]


def _packable(stage: Stage) -> tuple[list[StudyCandidate], list[Packable]]:
    """The study's candidates, and those the stage wants ratings for."""
    study, protocol = stage.study, stage.study.current.protocol
    rated = list(study.candidates.filter(use=Use.RATED, same_as=None).select_related("instance"))
    if not rated:
        raise StudyError("There is nothing to rate: upload candidates first.")
    if stage.kind == Kind.TRIAL:
        if protocol.trial is None:
            raise StudyError("The protocol has no trial any more.")
        # A stream of its own: packing draws from the stage's.
        chooser = np.random.default_rng([study.seed, stage.number, 1])
        count = min(protocol.trial.candidates, len(rated))
        chosen = sorted(chooser.permutation(len(rated))[:count])
        wanted = {rated[at].pk: protocol.trial.ratings for at in chosen}
    else:
        wanted = {
            c.pk: protocol.ratings_for(c.instance.split, span_based=c.instance.span_based)
            for c in rated
        }
        if not any(wanted.values()):
            raise StudyError("No rule of the protocol gives any candidate a rating.")
        brought = shortfalls.brought_by_trial(stage)
        wanted = {pk: max(0, n - brought[pk]) for pk, n in wanted.items()}
    packable = _to_pack(study, [c for c in rated if wanted.get(c.pk)], wanted, before=stage.number)
    if not packable:
        raise StudyError(
            "Nothing is left to ask for: the trial brings every rating wanted. The "
            "study can be frozen."
        )
    return rated, packable


def _to_pack(
    study: Study, candidates: Sequence[StudyCandidate], wanted: Mapping[int, int], *, before: int
) -> list[Packable]:
    """What packing needs to know; `before` is the number of the first stage whose workers do not
    matter: a plan of HITs that are made already is what it was."""
    had = HitCandidate.objects.filter(
        hit__stage__study=study, hit__stage__number__lt=before, hit__assignments__isnull=False
    ).order_by()
    seen_by: dict[int | str, set[int]] = defaultdict(set)
    for candidate, pair, worker in had.values_list(
        "candidate", "candidate__pair", "hit__assignments__worker"
    ):
        seen_by[pair or candidate].add(worker)  # who had a pair's one member cannot have the other
    return [
        Packable(
            c.pk,
            c.instance.passage_key,
            wanted[c.pk],
            c.pair,
            frozenset(seen_by[c.pair or c.pk]),
        )
        for c in candidates
    ]


def _make_hits(
    stage: Stage, packable: Sequence[Packable], rng: np.random.Generator | None = None
) -> int:
    protocol = stage.study.current.protocol
    start = (stage.hits.aggregate(last=Max("index"))["last"] or 0) + 1
    rng = rng or np.random.default_rng([stage.study.seed, stage.number, start])
    rules = protocol.hit
    packed = pack(packable, rules.most_candidates, rng, same_passage=rules.same_passage)
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
