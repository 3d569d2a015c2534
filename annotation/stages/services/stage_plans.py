"""The candidates a stage requests ratings for, and the HITs made of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from django.db.models import QuerySet

from annotation.rating.models import HitCandidate
from annotation.stages.services import missing_ratings, sampling_waves
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.protocols.packing import PackedHit, PackingCandidate, pack_hits
from concord.sentences import counted
from core.refusals import RefusedError

Use = StudyCandidate.Use
Kind = Stage.Kind


class NoRatingsNeededError(RefusedError):
    """The stage has nothing to request: another stage provides all its ratings."""


class RatedCandidate(NamedTuple):
    """What the packing reads of a candidate. Its texts are not read: they take most of the time."""

    pk: int
    pair: str
    passage_key: str
    split: str
    span_based: bool


_FIELDS = ("pk", "pair", "instance__passage_key", "instance__split", "instance__span_based")


def rated_candidates(rows: QuerySet[StudyCandidate]) -> list[RatedCandidate]:
    """The rows as input of the packing, in their order."""
    return [RatedCandidate(*row) for row in rows.values_list(*_FIELDS)]


def planned_hits(stage: Stage) -> list[PackedHit]:
    """The HITs of a stage, or those that `open_stage` will create: the same seed gives the same
    HITs.

    A trial that was not opened yet is assumed to provide all its ratings. Hidden checks are not
    included. A qualification test is one HIT that any number of workers take; its `wanted` is 1, so
    that costs are for one worker. Raises RefusedError if the HITs cannot be planned.
    """
    existing = existing_hits(stage)
    if existing:
        return [hit for hit, _ in existing]
    if stage.kind == Kind.QUALIFICATION:
        return [PackedHit(tuple(candidate.pk for candidate in test_candidates(stage)), 1)]
    return _pack(stage, candidates_to_pack(stage, _of_trial_to_come(stage)))


def candidates_in(hits: Iterable[PackedHit]) -> dict[int, StudyCandidate]:
    """The candidates of some HITs, with their texts, by the keys in the HITs."""
    keys = [key for hit in hits for key in hit.keys]
    rows = StudyCandidate.objects.filter(pk__in=keys).select_related("instance")
    return {candidate.pk: candidate for candidate in rows.order_by("position")}


def existing_hits(stage: Stage) -> list[tuple[PackedHit, int]]:
    """The HITs of a stage, in order, with their pay in cents."""
    rows = HitCandidate.objects.filter(hit__stage=stage).exclude(candidate__use=Use.GOLD)
    hits: dict[tuple[int, int, int], list[int]] = {}
    for hit, slots, pay, candidate in rows.order_by("hit__index", "position").values_list(
        "hit_id", "hit__wanted", "hit__pay_cents", "candidate_id"
    ):
        hits.setdefault((hit, slots, pay), []).append(candidate)
    is_test = stage.kind == Kind.QUALIFICATION
    return [
        (PackedHit(tuple(keys), 1 if is_test else slots), pay)
        for (_, slots, pay), keys in hits.items()
    ]


def _pack(stage: Stage, packable: Sequence[PackingCandidate]) -> list[PackedHit]:
    rules = stage.study.current.protocol.hit
    return pack_hits(
        packable, rules.max_candidates, stage_rng(stage), same_passage=rules.same_passage
    )


def needs_no_ratings(stage: Stage) -> bool:
    """Whether a stage without HITs has nothing to request.

    That is a full stage whose ratings all come from a trial that has ended, and a trial that counts
    when the full stage has begun without it.
    """
    study, protocol = stage.study, stage.study.current.protocol
    if stage.kind in (Kind.QUALIFICATION, Kind.SECOND_LOOK):
        return False
    if not protocol.trial_counts or stage.hits.exists():
        return False
    if stage.kind == Kind.TRIAL:
        return missing_ratings.full_stage_has_started(stage)
    if not study.stages.filter(kind=Kind.TRIAL, status=Stage.Status.CLOSED).exists():
        return False
    # Most trials do not include all candidates; then the candidates need not be read.
    in_trial = HitCandidate.objects.filter(hit__stage__study=study, hit__stage__kind=Kind.TRIAL)
    others = study.candidates.filter(use=Use.RATED, same_as=None).exclude(
        pk__in=in_trial.values("candidate")
    )
    kinds = others.order_by().values_list("instance__split", "instance__span_based").distinct()
    if any(protocol.ratings_for(split, span_based=spans) for split, spans in kinds):
        return False
    try:
        candidates_to_pack(stage)
    except RefusedError as error:
        return isinstance(error, NoRatingsNeededError)
    return False


def check_trial_can_open(stage: Stage) -> None:
    """Raise NoRatingsNeededError for a trial that counts once the full stage has begun."""
    if stage.kind == Kind.TRIAL and missing_ratings.full_stage_has_started(stage):
        raise NoRatingsNeededError(
            "The trial cannot be opened: the full stage requests the ratings that it lacks.",
            "study-refused",
        )


def test_candidates(stage: Stage) -> list[StudyCandidate]:
    """The candidates of a qualification test. Raises RefusedError if there are too few."""
    rules = stage.study.current.protocol.qualification
    if rules is None:
        raise RefusedError("The protocol no longer has a qualification test.", "study-refused")
    test = list(
        stage.study.candidates.filter(use=Use.QUALIFICATION)
        .select_related("instance")
        .order_by("position")
    )
    if len(test) < rules.candidates:
        raise RefusedError(
            f"The qualification test needs {counted(rules.candidates, 'candidate')} with a "
            "correct rating; "
            f"the study has {len(test)}. Upload more, or change the protocol.",
            "study-refused",
        )
    return test[: rules.candidates]


def stage_rng(stage: Stage) -> np.random.Generator:
    """The random generator for a stage's HITs; the same for every call."""
    return np.random.default_rng([stage.study.seed, stage.number])


def candidates_to_pack(
    stage: Stage, to_come: Mapping[int, int] | None = None
) -> list[PackingCandidate]:
    """The candidates that the stage requests ratings for.

    `to_come` are ratings by candidate that the stage need not request, besides those of the trial.
    Raises RefusedError if there is nothing to rate, NoRatingsNeededError if another stage provides
    all ratings.
    """
    check_trial_can_open(stage)
    study = stage.study
    rated = rated_candidates(study.candidates.filter(use=Use.RATED, same_as=None))
    if not rated:
        raise RefusedError("There is nothing to rate: upload candidates first.", "study-refused")
    required = _required(stage, rated)
    for candidate, n in (to_come or {}).items():
        required[candidate] = required.get(candidate, 0) - n
    packable = packables(study, [c for c in rated if required.get(c.pk, 0) > 0], required)
    if not packable:
        raise NoRatingsNeededError(
            "No ratings are needed: the trial provides all of them. Filter and adjudicate them, "
            "then freeze the study.",
            "study-refused",
        )
    return packable


def packables(
    study: Study, candidates: Sequence[RatedCandidate], required: Mapping[int, int]
) -> list[PackingCandidate]:
    """The input of the packing: candidates with the number of ratings required of each."""
    assigned = HitCandidate.objects.filter(
        hit__stage__study=study, hit__assignments__isnull=False
    ).order_by()
    seen_by: dict[int | str, set[int]] = defaultdict(set)
    for candidate, pair, worker in assigned.values_list(
        "candidate", "candidate__pair", "hit__assignments__worker"
    ):
        seen_by[pair or candidate].add(worker)  # a worker cannot have both members of a pair
    return [
        PackingCandidate(
            c.pk,
            c.passage_key,
            required[c.pk],
            c.pair,
            frozenset(seen_by[c.pair or c.pk]),
        )
        for c in candidates
    ]


def _required(stage: Stage, rated: Sequence[RatedCandidate]) -> dict[int, int]:
    return _of_trial(stage, rated) if stage.kind == Kind.TRIAL else _of_full(stage, rated)


def _of_trial(stage: Stage, rated: Sequence[RatedCandidate]) -> dict[int, int]:
    trial = stage.study.current.protocol.trial
    if trial is None:
        raise RefusedError("The protocol no longer has a trial.", "study-refused")
    # A separate random stream: packing uses the stage's stream.
    rng = np.random.default_rng([stage.study.seed, stage.number, 1])
    count = min(trial.candidates, len(rated))
    selected = sorted(rng.permutation(len(rated))[:count])
    return {rated[at].pk: trial.ratings for at in selected}


def _of_full(stage: Stage, rated: Sequence[RatedCandidate]) -> dict[int, int]:
    protocol = stage.study.current.protocol
    chosen = sampling_waves.candidates_to_rate(stage)
    if chosen is not None:
        rated = [candidate for candidate in rated if candidate.pk in chosen]
    required = {c.pk: protocol.ratings_for(c.split, span_based=c.span_based) for c in rated}
    if not any(required.values()):
        raise RefusedError(
            "No rating rule of the protocol applies to any candidate.", "study-refused"
        )
    from_trial = missing_ratings.ratings_from_trial(stage)
    return {pk: max(0, n - from_trial[pk]) for pk, n in required.items()}


def _of_trial_to_come(stage: Stage) -> Counter[int]:
    """Ratings that a trial that counts and was never opened will provide for the full `stage`."""
    if stage.kind != Kind.FULL or not stage.study.current.protocol.trial_counts:
        return Counter()
    planned = stage.study.stages.filter(kind=Kind.TRIAL, status=Stage.Status.PLANNED)
    trial = planned.select_related("study").first()
    if trial is None:
        return Counter()
    return Counter({packed.key: packed.wanted for packed in candidates_to_pack(trial)})
