"""Celery's tasks act as the system, under their own names."""

from __future__ import annotations

from typing import Any

from celery.signals import task_prerun

from core.audit.actors import SYSTEM, Actor, set_actor


@task_prerun.connect
def act_as_the_task(task: Any = None, **_: object) -> None:
    set_actor(Actor(SYSTEM, getattr(task, "name", "")))
