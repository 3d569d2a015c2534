"""Periodic tasks for stages."""

from __future__ import annotations

import logging

from django.db.models import Exists, OuterRef
from django.utils.timezone import now

from annotation.stages.models import StageSampling
from annotation.stages.services import completing, continuing, opening
from annotation.studies.models import PairBatch, Stage
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


@periodic(every=5.0)
def continue_pairs() -> None:
    """Choose the next pairs of open stages that compare pairs adaptively and are short of HITs."""
    batches = PairBatch.objects.filter(study=OuterRef("study"))
    running = Stage.objects.filter(
        Exists(batches),
        ~Exists(batches.filter(is_last=True)),
        kind=Stage.Kind.FULL,
        status=Stage.Status.OPEN,
    )
    for stage in running:
        try:
            opening.continue_pairs(stage)
        except Exception:  # the other stages go on
            logger.exception("could not choose the next pairs of stage %s", stage.pk)
