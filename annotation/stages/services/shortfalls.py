"""Candidates that lack kept ratings: after exclusions, and where raters could not judge."""

from __future__ import annotations

from collections import Counter

import numpy as np
from django.utils.timezone import now

from annotation.quality.services.collected import collected
from annotation.quality.services.ledgers import ledger_of, steps_of
from annotation.rating.models import Assignment, HitCandidate
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.filtering import Ledger, ZScoreFilter, replay

Kind = Stage.Kind


def shortfall(stage: Stage) -> list[tuple[int, int]]:
    """(candidate, ratings lacking) of a stage, for `opening.top_up`, which locks the HITs first.

    Lacking is what the protocol wants, less what is kept under the ledger, less what open and
    held HITs will still bring. A rating that a z-score step removed is not lacking: it was given,
    and to ask again until raters agree would manufacture agreement. What a trial that counts lacks
    once the full stage has HITs, the full stage is to bring.
    """
    if stage.kind == Kind.QUALIFICATION:
        return []
    study, protocol = stage.study, stage.study.current.protocol
    if stage.kind == Kind.TRIAL and full_has_begun(stage):
        return []
    # A candidate that the trial spared the full stage altogether is in none of its HITs.
    together = [Kind.TRIAL, Kind.FULL] if stage.kind == Kind.FULL else [stage.kind]
    rows = HitCandidate.objects.filter(
        hit__stage__study=study,
        hit__stage__kind__in=together,
        candidate__use=StudyCandidate.Use.RATED,
    ).values_list("candidate", "candidate__instance__split", "candidate__instance__span_based")
    have = _kept(study, stage.kind) + _coming(study, stage.kind) + brought_by_trial(stage)
    lacking = []
    for candidate, split, span_based in rows.order_by("candidate").distinct():
        if stage.kind == Kind.TRIAL and protocol.trial is not None:
            wanted = protocol.trial.ratings
        else:
            wanted = protocol.ratings_for(split, span_based=span_based)
        lacking.append((candidate, wanted - have[candidate]))
    return [(candidate, n) for candidate, n in lacking if n > 0]


def full_has_begun(trial: Stage) -> bool:
    """Whether the full stage has been asked for what this trial, which counts, lacks."""
    counts = trial.study.current.protocol.trial_counts
    return counts and trial.study.stages.filter(kind=Kind.FULL, hits__isnull=False).exists()


def brought_by_trial(stage: Stage) -> Counter[int]:
    """Ratings, by candidate, that the trial before the full `stage` spares it: its kept ones, and
    those it will still bring. None where the trial does not count."""
    study = stage.study
    if stage.kind != Kind.FULL or not study.current.protocol.trial_counts:
        return Counter()
    goes_on = study.stages.filter(kind=Kind.TRIAL, status=Stage.Status.OPEN).exists()
    coming = _coming(study, Kind.TRIAL, waiting=goes_on and not stage.hits.exists())
    return _kept(study, Kind.TRIAL) + coming


def _kept(study: Study, kind: str) -> Counter[int]:
    """Kept ratings of a stage by candidate, z-score steps left aside."""
    found = collected(study, [kind])
    whole = ledger_of(steps_of(study))
    ledger = Ledger(tuple(step for step in whole.steps if not isinstance(step, ZScoreFilter)))
    kept = replay(ledger, found.ratings, seconds=found.seconds).kept
    counts = np.bincount(found.ratings.units[kept], minlength=found.ratings.n_units)
    return Counter(dict(zip(found.candidate_ids.tolist(), counts.tolist(), strict=True)))


def _coming(study: Study, kind: str, *, waiting: bool = True) -> Counter[int]:
    """What HITs in hand will bring of each candidate, and those `waiting` for a worker, which a
    hold that lapsed does, too."""
    members = HitCandidate.objects.filter(hit__stage__study=study, hit__stage__kind=kind).order_by()
    holds = Assignment.objects.filter(status=Assignment.Status.HELD)
    if not waiting:
        holds = holds.filter(lease_until__gt=now())
    held = members.filter(hit__assignments__in=holds)
    coming = Counter(held.values_list("candidate", flat=True))
    if waiting:
        for candidate, slots in members.values_list("candidate", "hit__open_slots"):
            coming[candidate] += slots
    return coming
