"""Candidates that lack kept ratings: after exclusions, and where raters could not judge."""

from __future__ import annotations

from collections import Counter

import numpy as np

from annotation.models import Assignment, HitCandidate, Stage, StudyCandidate
from annotation.quality import Ledger, ZScore, replay
from annotation.services.collected import collected
from annotation.services.ledgers import ledger_of, steps_of


def shortfall(stage: Stage) -> list[tuple[int, int]]:
    """(candidate, ratings lacking) of a stage, for `opening.top_up`.

    Lacking is what the protocol wants, less what is kept under the ledger, less what open and
    held HITs will still bring. A rating that a z-score step removed is not lacking: it was given,
    and to ask again until raters agree would manufacture agreement.
    """
    if stage.kind == Stage.Kind.QUALIFICATION:
        return []
    members = HitCandidate.objects.filter(hit__stage=stage, candidate__use=StudyCandidate.Use.RATED)
    rows = members.order_by().values_list(
        "candidate",
        "candidate__instance__split",
        "candidate__instance__span_based",
        "hit__open_slots",
    )
    protocol = stage.study.current.protocol
    coming: Counter[int] = Counter()
    wanted: dict[int, int] = {}
    for candidate, split, span_based, open_slots in rows:
        coming[candidate] += open_slots
        if stage.kind == Stage.Kind.TRIAL and protocol.trial is not None:
            wanted[candidate] = protocol.trial.ratings
        else:
            wanted[candidate] = protocol.ratings_for(split, span_based=span_based)
    held = members.filter(hit__assignments__status=Assignment.Status.HELD)
    coming.update(held.order_by().values_list("candidate", flat=True))
    have = _kept(stage)
    lacking = [(pk, n - have.get(pk, 0) - coming[pk]) for pk, n in sorted(wanted.items())]
    return [(pk, n) for pk, n in lacking if n > 0]


def _kept(stage: Stage) -> dict[int, int]:
    """Kept ratings by candidate, z-score steps left aside."""
    found = collected(stage.study, [stage.kind])
    whole = ledger_of(steps_of(stage.study))
    ledger = Ledger(tuple(step for step in whole.steps if not isinstance(step, ZScore)))
    kept = replay(ledger, found.ratings, seconds=found.seconds).kept
    counts = np.bincount(found.ratings.units[kept], minlength=found.ratings.n_units)
    return dict(zip(found.candidate_ids.tolist(), counts.tolist(), strict=True))
