"""Periodic tasks for stages."""

from __future__ import annotations

import logging

from django.utils.timezone import now

from annotation.stages.models import StageSampling
from annotation.stages.services import completing, continuing
from annotation.studies.models import Stage
from core.jobs import periodic

logger = logging.getLogger(__name__)


@periodic(every=20.0)
def announce_complete() -> None:
    """Announce stages that are complete."""
    completing.announce_complete(at=now())


@periodic(every=20.0)
def continue_sampling() -> None:
    """Draw the next wave of stages whose last wave is rated, and close those at their target."""
    running = StageSampling.objects.filter(stage__status=Stage.Status.OPEN, ended_at=None)
    for sampling in running.select_related("stage__study"):
        try:
            continuing.try_to_continue(sampling, at=now())
        except Exception:  # the other stages go on
            logger.exception("could not store the state of the sampling %s", sampling.pk)
