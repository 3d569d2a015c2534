"""Looks at the rated waves of a stage's sampling rule, and its end."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from annotation.rating.models import Assignment
from annotation.stages.models import StageSampling
from annotation.stages.services.sampling_waves import outcomes_of, population_of
from annotation.studies.models import Stage
from concord.sampling import Look, complete_waves, look
from core import audit

ENDED = "sampling.ended"


def take_look(sampling: StageSampling, *, at: datetime) -> Look | None:
    """Record what is known once the last wave is rated; None while it is not.

    The stage ends when the target is reached, the budget is used, or nothing is left to draw. Call
    it in a transaction that locks the stage.
    """
    stage = sampling.stage
    if not _is_rated(stage):
        return None
    population, waves, ids = population_of(sampling)
    outcomes = outcomes_of(stage.study, ids)
    if len(complete_waves(population, outcomes, waves)) < len(waves):
        return None
    new_look = look(population, outcomes, waves, sampling.stopping_rule)
    sampling.looks = [*sampling.looks, look_document(new_look, at)]
    if new_look.is_over:
        sampling.ended_at = at
    sampling.save(update_fields=["looks", "ended_at"])
    if new_look.is_over:
        after = {**sampling.looks[-1], "target reached": new_look.is_reached}
        audit.record(None, ENDED, stage, after=after, study=stage.study)
    return new_look


def look_document(one_look: Look, at: datetime) -> dict[str, Any]:
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


def _is_rated(stage: Stage) -> bool:
    """Whether no HIT of the stage is open or in progress."""
    held = Assignment.objects.filter(hit__stage=stage, status=Assignment.Status.HELD)
    return not stage.hits.filter(open_slots__gt=0).exists() and not held.exists()
