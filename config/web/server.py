"""Settings of gunicorn, for `make run` and production: `gunicorn -c python:config.web.server`.

In production, a reverse proxy in front handles TLS and slow clients (deploy/).
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
from core.temporary import use_own_folder

METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_FOLDER_PREFIX = "concord-metrics-"
_env = FileAwareEnv(strip_whitespace=True)

wsgi_app = "config.wsgi"
bind = "127.0.0.1:8000"
# -- Web server --
# Number of processes of the web server.
workers = _env.int("WEB_WORKERS", 2, validate=lambda n: n >= 1)
# Number of threads of each process. A thread serves one request at a time.
threads = _env.int("WEB_THREADS", 16, validate=lambda n: n >= 4)
preload_app = True  # the processes share the memory of imported modules
worker_class = "gthread"
worker_connections = 1000
timeout = 60  # restarts a process whose main loop hangs
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
    # The processes share their metrics in this folder; prometheus_client reads the variable.
    os.environ[METRICS_FOLDER] = tempfile.mkdtemp(prefix=_FOLDER_PREFIX)


def when_ready(server: Any) -> None:  # noqa: ANN401 - gunicorn has no types
    """Prepare temporary files, and refuse to start on an address that other machines can reach.

    Gunicorn calls this before it starts workers. It prints the message of a RuntimeError and exits
    with status 1. With `reuse_port`, the workers create the sockets, so the configured addresses
    are checked.
    """
    use_own_folder()
    if exposure.is_allowed():
        return
    addresses = [one.getsockname() for one in server.LISTENERS] or server.cfg.address
    for address in addresses:
        if isinstance(address, tuple):  # a str is the path of a Unix socket
            exposure.check_host(address[0])


def on_exit(server: Any) -> None:  # noqa: ANN401 - gunicorn has no types
    """Remove the folder of the metrics if it was created here."""
    folder = Path(os.environ.get(METRICS_FOLDER, ""))
    if folder.name.startswith(_FOLDER_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)
