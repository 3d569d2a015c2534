"""The Celery task of word importance."""

from __future__ import annotations

from benchmarks.errors.models import WordWeights
from benchmarks.errors.services import word_weights
from core.jobs import queues, resend, row_task


@row_task("benchmarks.tasks.weigh_words", queue=queues.INTERACTIVE)
def weigh_words(job_id: int) -> None:
    """Compute the importance of one candidate's words."""
    word_weights.perform(job_id)


resend(weigh_words, WordWeights.stale)
