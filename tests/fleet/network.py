"""Machines of a fleet: network namespaces on one bridge, each with an address and a cable."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from core.processes import die_with_parent

SUBNET = "10.213.77"
BRIDGE = "concordbr0"


class Machine:
    """A network namespace. Its processes see the machine's files, and no network but the bridge."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.namespace = f"concord-{name}"
        self.address = f"{SUBNET}.{number}"
        self._cable = f"concord{number}"  # the bridge's end; an interface's name has 15 letters

    def create(self) -> None:
        ip("netns", "add", self.namespace)
        ip("link", "add", self._cable, "type", "veth", "peer", "eth0", "netns", self.namespace)
        ip("link", "set", self._cable, "master", BRIDGE, "up")
        inside = ("-n", self.namespace)
        ip(*inside, "address", "add", f"{self.address}/24", "dev", "eth0")
        ip(*inside, "link", "set", "eth0", "up")
        ip(*inside, "link", "set", "lo", "up")

    def run(
        self, *command: str, log: Path, user: str = "", environment: dict[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a process on the machine, as another user if one is named."""
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if user else []
        with log.open("ab") as output:
            return subprocess.Popen(
                ["ip", "netns", "exec", self.namespace, *as_user, *command],
                cwd="/" if user else None,
                env=os.environ | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                preexec_fn=die_with_parent(signal.SIGKILL),
            )

    def processes(self) -> list[psutil.Process]:
        lines = []
        for pid in ip("netns", "pids", self.namespace).split():
            try:
                lines.append(psutil.Process(int(pid)))
            except psutil.NoSuchProcess:
                continue
        return lines

    def kill(self) -> None:
        """SIGKILL to every process of the machine, until none is left."""
        while processes := self.processes():
            for process in processes:
                try:
                    process.kill()
                except psutil.NoSuchProcess:
                    continue
            psutil.wait_procs(processes, timeout=5)

    def cut(self) -> None:
        """Pull the cable: packets are lost, and nobody is told."""
        ip("link", "set", self._cable, "down")

    def plug_in(self) -> None:
        ip("link", "set", self._cable, "up")


@contextmanager
def network(machines: list[Machine]) -> Iterator[None]:
    """The machines on their bridge, which this process reaches too; skips where it may not."""
    if os.geteuid() != 0:
        pytest.skip("only root can make network namespaces")
    with open("/run/lock/concord-fleet", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one network at a time on this computer
        yield from _network(machines)


def _network(machines: list[Machine]) -> Iterator[None]:
    _remove(machines)  # of a run that was killed
    try:
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("address", "add", f"{SUBNET}.1/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        for machine in machines:
            machine.create()
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        _remove(machines)
        pytest.skip(f"network namespaces are not available here: {error}")
    try:
        yield
    finally:
        _remove(machines)


def ip(*arguments: str) -> str:
    done = subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)
    return done.stdout


def _remove(machines: list[Machine]) -> None:
    try:
        existing = {line.split()[0] for line in ip("netns", "list").splitlines()}
    except (FileNotFoundError, subprocess.CalledProcessError):
        return
    for machine in machines:
        if machine.namespace in existing:
            machine.kill()
            ip("netns", "delete", machine.namespace)
    subprocess.run(["ip", "link", "delete", BRIDGE], capture_output=True)
