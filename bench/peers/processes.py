"""A platform's processes: installed, started, killed."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from bench.peers.client import Client, RefusedError, UnansweredError

START_WITHIN = 180.0  # seconds; ends a hang


@dataclass
class WebServer:
    """The web processes of a platform, in a process group of their own."""

    command: list[str]
    folder: Path
    log: Path
    port: int = 0
    environment: dict[str, str] = field(default_factory=dict)
    _process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.port = self.port or free_port()

    def run(self, command: list[str]) -> None:
        """Run a command in the same folder and environment, and wait for its end."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr[-2000:]}")

    def start(self, path: str) -> None:
        """Start them and wait until `path` answers."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_WITHIN
        while True:
            try:
                Client(self.port).get(path)
                return
            except (UnansweredError, RefusedError) as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    tail = self.log.read_text(errors="replace")[-2000:]
                    raise RuntimeError(f"{self.command[0]} did not start: {tail}") from error
            time.sleep(0.2)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        os.killpg(self._process.pid, how)
        self._process.wait()
        self._process = None


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def kill_tree(pid: int) -> None:
    """Kill a process and its descendants with SIGKILL."""
    root = psutil.Process(pid)
    for process in (root, *root.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def core_seconds(pid: int) -> float:
    """CPU seconds of a process and its descendants."""
    used = 0.0
    root = psutil.Process(pid)
    for process in (root, *root.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            used += sum(process.cpu_times()[:4])  # those of children that have ended included
    return used


def installed(cache: Path, name: str, *packages: str) -> Path:
    """The `bin` folder of a virtual environment with these packages, made where there is none."""
    folder = cache / name
    complete = folder / "installed"
    if not complete.exists() or complete.read_text() != " ".join(packages):
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *packages]
        subprocess.run(pip, check=True)
        complete.write_text(" ".join(packages))
    return folder / "bin"
