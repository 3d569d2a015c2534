from celery.signals import task_prerun
from django.apps import AppConfig

from core.audit.actors import SYSTEM, Actor, set_actor


def set_actor_of_task(task: object = None, **_: object) -> None:
    """The actor of a Celery task is the system, with the task's name."""
    set_actor(Actor(SYSTEM, getattr(task, "name", "")))


class AuditConfig(AppConfig):
    """The audit log."""

    name = "core.audit"

    def ready(self) -> None:
        task_prerun.connect(set_actor_of_task)
