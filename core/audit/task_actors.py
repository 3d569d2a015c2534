"""The actor of a Celery task is the system, with the task's name."""

from __future__ import annotations

from celery.signals import task_prerun

from core.audit.actors import SYSTEM, Actor, set_actor


@task_prerun.connect
def set_actor_of_task(task: object = None, **_: object) -> None:
    set_actor(Actor(SYSTEM, getattr(task, "name", "")))
