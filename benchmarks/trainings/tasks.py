"""The Celery task of trainings."""

from __future__ import annotations

from benchmarks.trainings import services as trainings
from benchmarks.trainings.models import Training
from core.jobs import queues, resend, row_task

# Delay before a busy process tries again.
BUSY_SECONDS = 20


@row_task("benchmarks.tasks.train", queue=queues.TRAINING)
def train(training_id: int) -> None:
    """Do one training, or send the task again if this process is busy."""
    if not trainings.perform(training_id):
        train.apply_async((training_id,), countdown=BUSY_SECONDS)


resend(train, Training.stale)
