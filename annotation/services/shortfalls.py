"""Candidates that lack kept ratings: of a stage not opened yet, after exclusions, and where raters
could not judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
from django.db.models import Q

from annotation.models import Assignment, HitCandidate, Stage, StudyCandidate
from annotation.quality import Ledger, ZScore, replay
from annotation.services.collected import collected
from annotation.services.ledgers import ledger_of, steps_of

Kind = Stage.Kind


def shortfall(stage: Stage) -> list[tuple[int, int]]:
    """(candidate, ratings lacking) of a stage, for `opening.top_up`.

    Lacking is what the protocol wants, less what counts toward it (see `still_wanted`). What a
    trial that counts lacks once the full stage has HITs, the full stage is to bring.
    """
    if stage.kind == Kind.QUALIFICATION:
        return []
    kinds, protocol = _counting(stage), stage.study.current.protocol
    counts = protocol.trial is not None and protocol.trial.counted
    full = stage.study.stages.filter(kind=Kind.FULL, hits__isnull=False)
    if stage.kind == Kind.TRIAL and counts and full.exists():
        return []
    members = HitCandidate.objects.filter(
        hit__stage__study=stage.study_id,
        hit__stage__kind__in=kinds,
        candidate__use=StudyCandidate.Use.RATED,
    )
    rows = members.order_by().values_list(
        "candidate", "candidate__instance__split", "candidate__instance__span_based"
    )
    wanted = {
        candidate: protocol.trial.ratings
        if stage.kind == Kind.TRIAL and protocol.trial is not None
        else protocol.ratings_for(split, span_based=span_based)
        for candidate, split, span_based in rows.distinct()
    }
    return [(pk, n) for pk, n in sorted(still_wanted(stage, wanted).items()) if n > 0]


def still_wanted(stage: Stage, wanted: Mapping[int, int]) -> dict[int, int]:
    """The ratings `wanted` of each candidate, less those that count toward them; 0 or above.

    Those are the kept ones of the stage, and of the trial before it where that counts, and what
    open and held HITs will still bring. A rating that a z-score step removed counts: it was given,
    and to ask again until raters agree would manufacture agreement.
    """
    kinds = _counting(stage)
    have = _kept(stage, kinds) + _coming(stage, kinds)
    return {candidate: max(0, n - have[candidate]) for candidate, n in wanted.items()}


def _counting(stage: Stage) -> list[str]:
    """The stages whose ratings count toward what this one wants."""
    trial = stage.study.current.protocol.trial
    both = stage.kind == Kind.FULL and trial is not None and trial.counted
    return [Kind.TRIAL, Kind.FULL] if both else [stage.kind]


def _kept(stage: Stage, kinds: list[str]) -> Counter[int]:
    """Kept ratings by candidate, z-score steps left aside."""
    found = collected(stage.study, kinds)
    whole = ledger_of(steps_of(stage.study))
    ledger = Ledger(tuple(step for step in whole.steps if not isinstance(step, ZScore)))
    kept = replay(ledger, found.ratings, seconds=found.seconds).kept
    counts = np.bincount(found.ratings.units[kept], minlength=found.ratings.n_units)
    return Counter(dict(zip(found.candidate_ids.tolist(), counts.tolist(), strict=True)))


def _coming(stage: Stage, kinds: list[str]) -> Counter[int]:
    """What HITs in hand, and those that wait, will bring; those of an earlier stage that is
    closed are not waited for."""
    members = HitCandidate.objects.filter(
        hit__stage__study=stage.study_id, hit__stage__kind__in=kinds
    ).order_by()
    held = members.filter(hit__assignments__status=Assignment.Status.HELD)
    coming = Counter(held.values_list("candidate", flat=True))
    waiting = members.filter(Q(hit__stage=stage) | Q(hit__stage__status=Stage.Status.OPEN))
    for candidate, slots in waiting.values_list("candidate", "hit__open_slots"):
        coming[candidate] += slots
    return coming
