"""Gunicorn's settings, for `make run` and for production: `gunicorn -c python:config.web.server`.

In production a reverse proxy stands in front: it speaks TLS and waits for slow clients (deploy/).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import scipy.stats  # noqa: F401  (before the fork: otherwise each process loads it on first use)
from environs import FileAwareEnv

from config.web import exposure

METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_OWN = "concord-metrics-"
_env = FileAwareEnv(strip_whitespace=True)

wsgi_app = "config.wsgi"
bind = "127.0.0.1:8000"
# -- Web server --
# Processes of the web server.
workers = _env.int("WEB_WORKERS", 2, validate=lambda n: n >= 1)
# Threads of each process; a thread serves one request at a time.
threads = _env.int("WEB_THREADS", 16, validate=lambda n: n >= 4)
preload_app = True  # its processes share the memory of what is imported
worker_class = "gthread"
worker_connections = 1000
timeout = 60  # of a process whose main loop gives no sign of life
graceful_timeout = 15
keepalive = 5
limit_request_line = 8190
limit_request_fields = 100
limit_request_field_size = 8190
logger_class = "config.web.log.PrivateLogger"
accesslog = "-"
access_log_format = "%(t)s %(m)s %(U)s %(s)s %(B)s %(M)sms %({x-request-id}o)s"
control_socket_disable = True


if _env.str("METRICS_TOKEN", "") and METRICS_FOLDER not in os.environ:
    # The processes share their figures by this folder: prometheus_client, which they import,
    # looks for it.
    os.environ[METRICS_FOLDER] = tempfile.mkdtemp(prefix=_OWN)


def when_ready(server: Any) -> None:
    """Refuse to start on an address that other machines can reach. Gunicorn calls this before it
    starts workers, prints a RuntimeError's message and exits with status 1.

    With `reuse_port` the workers make the sockets, so the configured addresses are checked.
    """
    if exposure.is_allowed():
        return
    addresses = [one.getsockname() for one in server.LISTENERS] or server.cfg.address
    for address in addresses:
        if isinstance(address, tuple):  # a text is the path of a Unix socket
            exposure.check_host(address[0])


def on_exit(server: Any) -> None:
    """Remove the folder of the metrics, if it was made here."""
    folder = Path(os.environ.get(METRICS_FOLDER, ""))
    if folder.name.startswith(_OWN):
        shutil.rmtree(folder, ignore_errors=True)
