"""The Celery task of model judges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.judging import services as judging
from benchmarks.judging.models import ModelJudge
from core.jobs import queues

ask_model = judging.JUDGES.declare_task("benchmarks.tasks.ask_model", queues.EXTERNAL)


def sender(judge: ModelJudge) -> Callable[[], object]:
    """Sends the judge's task to the workers."""
    return partial(ask_model.delay, judge.pk)
