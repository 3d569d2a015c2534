"""`worker`: a Celery worker as Concord likes it, in the foreground."""

from __future__ import annotations

import os
from typing import Any

from django.core.management.base import BaseCommand

from core.workers import worker_command


class Command(BaseCommand):
    help = "Run a worker: threads that share one tokeniser, one METEOR and their caches."

    def handle(self, *args: Any, **options: Any) -> None:
        command = worker_command()
        os.execv(command[0], command)
