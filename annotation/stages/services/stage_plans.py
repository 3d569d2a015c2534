"""What a stage would ask: the candidates it wants ratings of, and the HITs made of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.rating.models import HitCandidate
from annotation.stages.services import shortfalls
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.protocols.packing import PackedHit, PackingCandidate, pack_hits

Use = StudyCandidate.Use
Kind = Stage.Kind


class NothingLeftError(StudyError):
    """What a stage would ask for is brought by another: by the trial, or in the trial's place."""


@dataclass(frozen=True)
class PlannedHits:
    """What opening a stage would make, or has made: its HITs, in order, and who is in them.

    `candidates` holds the candidates by key of the HITs. A qualification test is one HIT that any
    number of workers take; its `wanted` is 1, so that costs count one worker.
    """

    hits: list[PackedHit]
    candidates: dict[int, StudyCandidate]


def planned_hits(stage: Stage) -> PlannedHits:
    """The HITs of a stage, or those that `open_stage` will make of one without any: the same seed,
    the same HITs. Of a trial still to come, all that it is to bring is taken as brought.

    Hidden gold items are not in them. Raises StudyError where the stage could not be packed.
    """
    made = made_hits(stage)
    if made:
        members = HitCandidate.objects.filter(hit__stage=stage).values("candidate")
        found = stage.study.candidates.filter(pk__in=members).select_related("instance")
        return PlannedHits([hit for hit, _ in made], {c.pk: c for c in found})
    if stage.kind == Kind.QUALIFICATION:
        test = test_candidates(stage)
        return PlannedHits([PackedHit(tuple(c.pk for c in test), 1)], {c.pk: c for c in test})
    rated, packable = to_pack(stage, _of_trial_to_come(stage))
    rules = stage.study.current.protocol.hit
    hits = pack_hits(
        packable, rules.most_candidates, rng_of(stage), same_passage=rules.same_passage
    )
    return PlannedHits(hits, {c.pk: c for c in rated})


def made_hits(stage: Stage) -> list[tuple[PackedHit, int]]:
    """The HITs that a stage has, in order, and what each pays in cents."""
    rows = HitCandidate.objects.filter(hit__stage=stage).exclude(candidate__use=Use.GOLD)
    hits: dict[tuple[int, int, int], list[int]] = {}
    for hit, wanted, pay, candidate in rows.order_by("hit__index", "position").values_list(
        "hit_id", "hit__wanted", "hit__pay_cents", "candidate_id"
    ):
        hits.setdefault((hit, wanted, pay), []).append(candidate)
    one = stage.kind == Kind.QUALIFICATION
    return [
        (PackedHit(tuple(keys), 1 if one else wanted), pay)
        for (_, wanted, pay), keys in hits.items()
    ]


def is_spared(stage: Stage) -> bool:
    """Whether a stage without HITs has nothing to ask for: the full stage where a trial that has
    ended brings it all, a trial that counts where the full stage began without it."""
    study, protocol = stage.study, stage.study.current.protocol
    if stage.kind == Kind.QUALIFICATION or not protocol.trial_counts or stage.hits.exists():
        return False
    if stage.kind == Kind.TRIAL:
        return shortfalls.full_has_begun(stage)
    if not study.stages.filter(kind=Kind.TRIAL, status=Stage.Status.CLOSED).exists():
        return False
    # Most trials leave candidates out: then there is no need to read any.
    tried = HitCandidate.objects.filter(hit__stage__study=study, hit__stage__kind=Kind.TRIAL)
    others = study.candidates.filter(use=Use.RATED, same_as=None).exclude(
        pk__in=tried.values("candidate")
    )
    kinds = others.order_by().values_list("instance__split", "instance__span_based").distinct()
    if any(protocol.ratings_for(split, span_based=spans) for split, spans in kinds):
        return False
    try:
        to_pack(stage)
    except StudyError as error:
        return isinstance(error, NothingLeftError)
    return False


def refuse_late_trial(stage: Stage) -> None:
    """Raise NothingLeftError for a trial that counts where the full stage asks in its place."""
    if stage.kind == Kind.TRIAL and shortfalls.full_has_begun(stage):
        raise NothingLeftError("The full stage asks for what the trial lacks: it cannot open now.")


def test_candidates(stage: Stage) -> list[StudyCandidate]:
    """The candidates of a qualification test. Raises StudyError where there are too few."""
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


def rng_of(stage: Stage) -> np.random.Generator:
    """What a stage's HITs are packed by: the same each time it is asked for."""
    return np.random.default_rng([stage.study.seed, stage.number])


def to_pack(
    stage: Stage, to_come: Mapping[int, int] | None = None
) -> tuple[list[StudyCandidate], list[PackingCandidate]]:
    """The study's candidates, and those the stage wants ratings for; `to_come` are ratings by
    candidate that it is spared besides what the trial brings. Raises StudyError where there are
    none, NothingLeftError where another stage brings all."""
    refuse_late_trial(stage)
    study = stage.study
    rated = list(study.candidates.filter(use=Use.RATED, same_as=None).select_related("instance"))
    if not rated:
        raise StudyError("There is nothing to rate: upload candidates first.")
    wanted = _of_trial(stage, rated) if stage.kind == Kind.TRIAL else _of_full(stage, rated)
    for candidate, n in (to_come or {}).items():
        wanted[candidate] = wanted.get(candidate, 0) - n
    packable = packables(study, [c for c in rated if wanted.get(c.pk, 0) > 0], wanted)
    if not packable:
        raise NothingLeftError(
            "Nothing is left to ask for: the trial brings every rating wanted. Filter and settle "
            "what there is, then freeze the study."
        )
    return rated, packable


def packables(
    study: Study, candidates: Sequence[StudyCandidate], wanted: Mapping[int, int]
) -> list[PackingCandidate]:
    """What packing needs to know of candidates, and how many ratings of each are `wanted`."""
    had = HitCandidate.objects.filter(
        hit__stage__study=study, hit__assignments__isnull=False
    ).order_by()
    seen_by: dict[int | str, set[int]] = defaultdict(set)
    for candidate, pair, worker in had.values_list(
        "candidate", "candidate__pair", "hit__assignments__worker"
    ):
        seen_by[pair or candidate].add(worker)  # who had a pair's one member cannot have the other
    return [
        PackingCandidate(
            c.pk,
            c.instance.passage_key,
            wanted[c.pk],
            c.pair,
            frozenset(seen_by[c.pair or c.pk]),
        )
        for c in candidates
    ]


def _of_trial(stage: Stage, rated: Sequence[StudyCandidate]) -> dict[int, int]:
    trial = stage.study.current.protocol.trial
    if trial is None:
        raise StudyError("The protocol has no trial any more.")
    # A stream of its own: packing draws from the stage's.
    chooser = np.random.default_rng([stage.study.seed, stage.number, 1])
    count = min(trial.candidates, len(rated))
    chosen = sorted(chooser.permutation(len(rated))[:count])
    return {rated[at].pk: trial.ratings for at in chosen}


def _of_full(stage: Stage, rated: Sequence[StudyCandidate]) -> dict[int, int]:
    protocol = stage.study.current.protocol
    wanted = {
        c.pk: protocol.ratings_for(c.instance.split, span_based=c.instance.span_based)
        for c in rated
    }
    if not any(wanted.values()):
        raise StudyError("No rule of the protocol gives any candidate a rating.")
    brought = shortfalls.brought_by_trial(stage)
    return {pk: max(0, n - brought[pk]) for pk, n in wanted.items()}


def _of_trial_to_come(stage: Stage) -> Counter[int]:
    """What a trial that counts and was never opened is to bring the full `stage`."""
    if stage.kind != Kind.FULL or not stage.study.current.protocol.trial_counts:
        return Counter()
    planned = stage.study.stages.filter(kind=Kind.TRIAL, status=Stage.Status.PLANNED)
    found = planned.select_related("study").first()
    if found is None:
        return Counter()
    return Counter({packed.key: packed.wanted for packed in to_pack(found)[1]})
