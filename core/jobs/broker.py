"""Connections to the broker with short timeouts, to ask whether it and its workers answer.

Those of Celery may wait minutes for a server that does not answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from celery import current_app
from django.conf import settings
from kombu import Connection
from kombu.exceptions import OperationalError

TIMEOUT_SECONDS = 2
BROKER_ERRORS = (OperationalError, OSError)
_REDIS_OPTIONS = {"socket_connect_timeout": TIMEOUT_SECONDS, "socket_timeout": TIMEOUT_SECONDS}
_RABBITMQ_OPTIONS = {"read_timeout": TIMEOUT_SECONDS, "write_timeout": TIMEOUT_SECONDS}


@contextmanager
def broker() -> Iterator[Connection]:
    """A connection to the broker. Raises one of BROKER_ERRORS."""
    url = settings.CELERY_BROKER_URL
    options = _REDIS_OPTIONS if url.startswith("redis") else _RABBITMQ_OPTIONS
    with current_app.connection_for_read(
        url, connect_timeout=TIMEOUT_SECONDS, transport_options=options
    ) as opened:
        try:
            opened.ensure_connection(max_retries=1, timeout=TIMEOUT_SECONDS)
            yield opened
        except (*opened.connection_errors, *opened.channel_errors) as error:
            # RabbitMQ reports a wrong password as a channel error.
            raise OperationalError(str(error)) from error
