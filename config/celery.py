"""The Celery application. Workers use the embedded servers if these are configured."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import celeryd_init

from core.temporary import use_own_folder

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("concord")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@celeryd_init.connect
def join_embedded_servers(**_: object) -> None:
    """Start or join the embedded servers, which run at least as long as this worker."""
    use_own_folder()
    from django.conf import settings

    from config import embedded

    if settings.EMBEDDED:
        embedded.ensure(settings.EMBEDDED_PATHS)
