"""Candidates with too few ratings, after exclusions or because raters could not judge."""

from __future__ import annotations

from collections import Counter

import numpy as np
from django.utils.timezone import now

from annotation.quality.services.ledgers import ledger_of, steps_of
from annotation.quality.services.rating_data import collect_ratings
from annotation.rating.models import Assignment, HitCandidate
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.filtering import Ledger, ZScoreFilter, replay

Kind = Stage.Kind


def candidates_missing_ratings(stage: Stage) -> list[tuple[int, int]]:
    """(candidate, missing ratings) of a stage, for `opening.top_up`, which locks the HITs first.

    Missing ratings are those required by the protocol, minus those kept by the ledger, minus those
    that open HITs and HITs in progress will provide. A rating that a z-score step removed is not
    missing: requesting it again until raters agree would manufacture agreement. Once the full stage
    has HITs, it requests what is missing in a trial that counts.
    """
    if stage.kind in (Kind.QUALIFICATION, Kind.SECOND_LOOK):
        return []
    study, protocol = stage.study, stage.study.current.protocol
    if stage.kind == Kind.TRIAL and full_stage_has_started(stage):
        return []
    # A candidate whose ratings all come from the trial is in no HIT of the full stage.
    kinds = [Kind.TRIAL, Kind.FULL] if stage.kind == Kind.FULL else [stage.kind]
    members = HitCandidate.objects.filter(
        hit__stage__study=study,
        hit__stage__kind__in=kinds,
        candidate__use=StudyCandidate.Use.RATED,
    ).values_list("candidate", "candidate__instance__split", "candidate__instance__span_based")
    available = (
        count_kept(study, stage.kind) + _expected(study, stage.kind) + ratings_from_trial(stage)
    )
    missing = []
    for candidate, split, span_based in members.order_by("candidate").distinct():
        if stage.kind == Kind.TRIAL and protocol.trial is not None:
            required = protocol.trial.ratings
        else:
            required = protocol.ratings_for(split, span_based=span_based)
        missing.append((candidate, required - available[candidate]))
    return [(candidate, n) for candidate, n in missing if n > 0]


def full_stage_has_started(trial: Stage) -> bool:
    """Whether the full stage already requests what is missing in this trial, which counts."""
    counts = trial.study.current.protocol.trial_counts
    return counts and trial.study.stages.filter(kind=Kind.FULL, hits__isnull=False).exists()


def ratings_from_trial(stage: Stage) -> Counter[int]:
    """Ratings by candidate that the full `stage` need not request, because the trial provides them.

    They are the kept ratings of the trial and those it will still provide; none if the trial does
    not count.
    """
    study = stage.study
    if stage.kind != Kind.FULL or not study.current.protocol.trial_counts:
        return Counter()
    is_open = study.stages.filter(kind=Kind.TRIAL, status=Stage.Status.OPEN).exists()
    expected = _expected(study, Kind.TRIAL, with_open_slots=is_open and not stage.hits.exists())
    return count_kept(study, Kind.TRIAL) + expected


def count_kept(study: Study, kind: str) -> Counter[int]:
    """Ratings of a stage kept by the ledger without its z-score steps, by candidate."""
    ratings = collect_ratings(study, [kind])
    full_ledger = ledger_of(steps_of(study))
    ledger = Ledger(tuple(step for step in full_ledger.steps if not isinstance(step, ZScoreFilter)))
    is_kept = replay(ledger, ratings.ratings, seconds=ratings.seconds).kept
    counts = np.bincount(ratings.ratings.units[is_kept], minlength=ratings.ratings.n_units)
    return Counter(dict(zip(ratings.candidate_ids.tolist(), counts.tolist(), strict=True)))


def _expected(study: Study, kind: str, *, with_open_slots: bool = True) -> Counter[int]:
    """Ratings by candidate that HITs in progress will provide, and open slots if `with_open_slots`.

    Assignments whose lease has expired count as open slots.
    """
    members = HitCandidate.objects.filter(hit__stage__study=study, hit__stage__kind=kind).order_by()
    assignments = Assignment.objects.filter(status=Assignment.Status.HELD)
    if not with_open_slots:
        assignments = assignments.filter(lease_until__gt=now())
    in_progress = members.filter(hit__assignments__in=assignments)
    expected = Counter(in_progress.values_list("candidate", flat=True))
    if with_open_slots:
        for candidate, slots in members.values_list("candidate", "hit__open_slots"):
            expected[candidate] += slots
    return expected
