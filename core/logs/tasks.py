"""Logging of workers: the same formats as in web processes, with the id of the job."""

from __future__ import annotations

import logging.config
from collections.abc import Mapping, Sequence

from celery import Task
from celery.signals import setup_logging, task_postrun, task_prerun
from django.conf import settings

from core.logs import context


@setup_logging.connect
def use_settings(loglevel: int | str | None = None, **_: object) -> None:
    """Configure logging from settings.LOGGING; --loglevel applies to Celery's logger only."""
    logging.config.dictConfig(settings.LOGGING)
    if loglevel:
        logging.getLogger("celery").setLevel(loglevel)


@task_prerun.connect
def begin_job(
    task: Task[..., object],
    args: Sequence[object] = (),
    kwargs: Mapping[str, object] | None = None,
    **_: object,
) -> None:
    key = next(iter((*args, *(kwargs or {}).values())), "")
    context.job_id.set(f"{task.name} {key}".rstrip())


@task_postrun.connect
def end_job(**_: object) -> None:
    context.job_id.set("")
