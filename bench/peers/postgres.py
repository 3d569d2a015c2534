"""A PostgreSQL server with its contributed modules, as distributions package it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import psycopg

from bench.peers.processes import START_WITHIN, kill_tree

# As Concord's embedded server is started.
OPTIONS = ("listen_addresses=", "shared_buffers=128MB", "max_connections=100")
USER = "bench"


class Postgres:
    """A server on a socket in `folder`, which its account can enter."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self.folder = programs, folder
        self._process: subprocess.Popen[bytes] | None = None
        # PostgreSQL refuses to run as root.
        self._account: dict[str, Any] = {}
        folder.mkdir()
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            self._account = {"user": account.pw_uid, "group": account.pw_gid}
            shutil.chown(folder, account.pw_uid, account.pw_gid)
        arguments = ["-D", str(folder / "data"), "-U", USER, "--auth=trust", "--encoding=UTF8"]
        command = [str(programs / "initdb"), *arguments]
        subprocess.run(command, check=True, capture_output=True, cwd="/", **self._account)

    def start(self) -> None:
        """Start it, after a kill with recovery; returns when it answers."""
        command = [str(self._programs / "postgres"), "-D", str(self.folder / "data")]
        for option in (*OPTIONS, f"unix_socket_directories={self.folder}"):
            command += ["-c", option]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd="/", stdout=log, stderr=log, start_new_session=True, **self._account
            )
        deadline = time.monotonic() + START_WITHIN
        while True:
            try:
                self.connect("postgres").close()
                return
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise
            time.sleep(0.1)

    def connect(self, database: str) -> psycopg.Connection:
        return psycopg.connect(host=str(self.folder), user=USER, dbname=database, autocommit=True)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """SIGKILL for the server and all its processes."""
        if self._process is not None:
            kill_tree(self._process.pid)
            self._process.wait()
            self._process = None
