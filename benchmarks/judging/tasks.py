"""The Celery task of model judges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.judging import services as judging
from benchmarks.judging.models import ModelJudge
from core.jobs import queues, resend, row_task


@row_task("benchmarks.tasks.ask_model", queue=queues.EXTERNAL)
def ask_model(judge_id: int) -> None:
    """Ask a model about the candidates that it has not judged yet."""
    judging.perform(judge_id)


def sender(judge: ModelJudge) -> Callable[[], object]:
    """Sends the judge's task to the workers."""
    return partial(ask_model.delay, judge.pk)


resend(ask_model, ModelJudge.stale)
