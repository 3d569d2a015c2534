"""Looks at the rated waves of a stage's sampling rule, and its end."""

from __future__ import annotations

from datetime import datetime

from annotation.stages.models import StageSampling
from annotation.stages.services.sampling_waves import Collection
from concord.documents.sampling import LookDocument
from concord.sampling import Look, look
from core import audit

ENDED = "sampling.ended"


def add_look(sampling: StageSampling, collection: Collection, *, at: datetime) -> Look:
    """Record what is known from the waves, all of which are rated.

    The stage ends when the target is reached, the budget is used, or nothing is left to draw. Call
    it in a transaction that locks the stage.
    """
    new_look = look(
        collection.population, collection.outcomes, collection.waves, sampling.stopping_rule
    )
    sampling.looks = [*sampling.looks, look_document(new_look, at)]
    if new_look.is_over:
        sampling.ended_at = at
    sampling.save(update_fields=["looks", "ended_at"])
    if new_look.is_over:
        stage = sampling.stage
        after = {**sampling.looks[-1], "target reached": new_look.is_reached}
        audit.record(None, ENDED, stage, after=after, study=stage.study)
    return new_look


def look_document(one_look: Look, at: datetime) -> LookDocument:
    """A look as stored: figures only."""
    return {
        "at": at.isoformat(),
        "waves": one_look.waves,
        "units": one_look.units,
        "share": one_look.share,
        "level": one_look.level,
        "width": one_look.width,
        "unresolved": [list(pair) for pair in one_look.unresolved],
        "is_reached": one_look.is_reached,
        "remaining": None if one_look.remaining is None else list(one_look.remaining),
        "systems": {
            row.system: {
                "mean": row.mean,
                "ci": None if row.ci is None else list(row.ci),
                "reason": row.reason,
            }
            for row in one_look.estimates
        },
    }
