"""The Celery task of model judges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.utils.timezone import now

from benchmarks.judging import services as judging
from benchmarks.judging.models import ModelJudge
from core.jobs import periodic, queues, resend, row_task


@row_task("benchmarks.tasks.ask_model", queue=queues.EXTERNAL)
def ask_model(judge_id: int) -> None:
    """Ask a model about the candidates that it has not judged yet."""
    judging.perform(judge_id)


def sender(judge: ModelJudge) -> Callable[[], object]:
    """Sends the judge's task to the workers."""
    return partial(ask_model.delay, judge.pk)


@row_task("benchmarks.tasks.start_look", queue=queues.ANALYSES)
def start_look(schedule_id: int) -> None:
    """Start the next look of a schedule, if it is still due."""
    look = judging.drift.start_look(schedule_id, at=now())
    if look is not None:
        sender(look)()


@periodic(every=60.0)
def start_looks() -> None:
    """Send the tasks of the looks at judges that are due."""
    for schedule_id in judging.drift.due(at=now()):
        start_look.delay(schedule_id)


resend(ask_model, ModelJudge.stale)
