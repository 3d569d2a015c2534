"""The web server as `make run` starts it, on the test database."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from django.conf import settings


class WebSite:
    """Gunicorn with the settings of config.web.server, changed by `environment`."""

    def __init__(self, database_url: str, log: Path, **environment: str) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.host, self.port = self.listening.getsockname()
        self.url = f"http://{self.host}:{self.port}"
        self.environment = os.environ | {
            "DATABASE_URL": database_url,
            "BROKER_URL": settings.CELERY_BROKER_URL,
            "SECRET_KEY": settings.SECRET_KEY,
            **environment,
        }
        self.log = log
        self.master: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        os.set_inheritable(self.listening.fileno(), True)
        command = [sys.executable, "-m", "gunicorn", "-c", "python:config.web.server"]
        with self.log.open("ab") as log:
            self.master = subprocess.Popen(
                [*command, "--bind", f"fd://{self.listening.fileno()}"],
                cwd=settings.BASE_DIR,
                env=self.environment,
                stdout=log,
                stderr=log,
                pass_fds=[self.listening.fileno()],
            )

    def stop(self) -> None:
        if self.master is not None and self.master.poll() is None:
            self.master.send_signal(signal.SIGTERM)
            self.master.wait(300)
        self.listening.close()
