"""The Celery application. `celery -A config worker` joins the embedded servers when in use."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import celeryd_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("concord")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@celeryd_init.connect
def join_embedded_servers(**_: Any) -> None:
    """A worker of the embedded default keeps its servers running while it lives."""
    from django.conf import settings

    from config import embedded

    if settings.EMBEDDED:
        embedded.ensure(settings.EMBEDDED_PATHS)
