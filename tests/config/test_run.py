"""`make run`, from an empty folder to a leaderboard and a site, and a clean stop."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from django.conf import settings

import scorers
from tests.config.test_embedded import process_of
from tests.processes import living
from tests.waiting import wait_for


def environment(var: Path, **more: str) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "BROKER_URL")}
    return clean | {"CONCORD_VAR": str(var), "PYTHONUNBUFFERED": "1"} | more


def start_run(var: Path, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "run"],
        cwd=settings.BASE_DIR,
        env=environment(var, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def read_until(process: subprocess.Popen[str], pattern: str) -> tuple[str, re.Match[str]]:
    """The output up to a line that matches `pattern`."""
    assert process.stdout is not None
    output = ""
    for line in process.stdout:
        output += line
        match = re.search(pattern, line)
        if match:
            return output, match
    raise AssertionError(f"ended without {pattern!r}:\n{output}")


def left_over(var: Path) -> list[str]:
    """Living processes that name `var` on their command line or in their environment."""
    lines = []
    for process, line in living():
        with contextlib.suppress(psutil.Error):
            if process.pid != os.getpid() and str(var) in line + str(process.environ()):
                lines.append(line)
    return lines


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("run") / "var"
    yield folder
    wait_for(lambda: not left_over(folder))


@pytest.fixture(scope="module")
def run_without_a_site(var: Path) -> subprocess.CompletedProcess[str]:
    """The first run in `var`, which imports and scores the demo set and ends."""
    return subprocess.run(
        [sys.executable, "manage.py", "run"],
        cwd=settings.BASE_DIR,
        env=environment(var, SERVE="0"),
        capture_output=True,
        text=True,
        timeout=1200,  # ends a hang; two free cores need about 70 s
    )


@pytest.mark.django_db  # trained metrics are stored in the database
def test_run_without_a_site_prints_the_leaderboard_and_ends(var, run_without_a_site):
    done = run_without_a_site
    assert done.returncode == 0, done.stdout + done.stderr
    assert "demo@1: 360 candidates (illustrative" in done.stdout
    for name in scorers.ready_names():
        assert re.search(rf"^ *{re.escape(name)}(?: \D+)? +360 ", done.stdout, re.M), name
    assert "undefined" not in done.stdout
    wait_for(lambda: not left_over(var))


@pytest.mark.parametrize(
    "how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
@pytest.mark.usefixtures("run_without_a_site")
def test_run_serves_until_it_is_stopped_and_leaves_nothing(var, how):
    process = start_run(var, PORT=str(free_port()))
    try:
        output, address = read_until(process, r"Concord is at (http://\S+)")
        more, signs_in = read_until(process, r"Sign in as admin with the password (\S+)\.")
        assert len(signs_in[1]) >= 12
        last, _ = read_until(process, r"Press Ctrl-C to stop")
        lines = [line for line in (output + more + last).splitlines() if line]
        assert len(lines) <= 5, "the demo set and its scores are there already"
        assert "demo" in _read(address[1])
        wait_for(lambda: "Demo: a simulated study" in _read(address[1]))
        # The terminal sends Ctrl-C to the whole group; kill sends to the one process.
        (os.killpg if how == signal.SIGINT else os.kill)(process.pid, how)
        if how == signal.SIGINT:
            assert process.wait(120) == 0
            assert "Stopped. Your data stays in" in process.stdout.read()
        else:
            assert process.wait(120) in (143, -15)
    finally:
        if process.poll() is None:
            process.kill()
    wait_for(lambda: not left_over(var))


@pytest.mark.usefixtures("run_without_a_site")
def test_a_taken_port_is_refused_with_another(var):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = start_run(var, PORT=str(port))
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 1
    assert f"Port {port} of 127.0.0.1" in output and f"PORT={port + 1} make run" in output
    wait_for(lambda: not left_over(var))


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.mark.slow
@pytest.mark.usefixtures("run_without_a_site")
def test_killed_workers_sites_and_servers_are_restarted(var):
    process = start_run(var, PORT="8500")
    try:
        _, address = read_until(process, r"Concord is at (http://\S+)")

        def children(name: str) -> list[psutil.Process]:
            """The children that write to the log of this name."""
            processes = [child for child, _ in living(psutil.Process(process.pid).children())]
            log = str(var / "log" / f"{name}.log")
            return [
                child for child in processes if log in [file.path for file in child.open_files()]
            ]

        for name in ("worker", "site"):
            (before,) = children(name)
            before.kill()
            wait_for(lambda name=name, before=before: children(name) not in ([], [before]))
        wait_for(lambda: _answers(address[1]))
        for name in ("postgres", "redis-server"):
            process_of(var, name).kill()
        time.sleep(1.5)  # the site's answer is kept for a second
        wait_for(lambda: _answers(f"{address[1]}/readyz"))
        process.kill()  # even so nothing may stay
        process.wait()
    finally:
        process.kill()
    wait_for(lambda: not left_over(var))


def test_given_servers_are_used_instead_of_embedded_ones(tmp_path):
    """With both URLs set, no embedded server is started; the URLs are those of the tests."""
    urls = {
        "DATABASE_URL": settings.EMBEDDED_PATHS.database_url,
        "BROKER_URL": settings.CELERY_BROKER_URL,
        "SECRET_KEY": "the signing key of this test alone",
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", "from django.db import connection as c;"
         "c.ensure_connection(); print(c.settings_dict['NAME'])"],
        cwd=settings.BASE_DIR,
        env=environment(tmp_path / "var") | urls,
        capture_output=True,
        text=True,
        timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "concord" in done.stdout
    assert not (tmp_path / "var" / "postgres").exists()


def _read(url: str) -> str:
    text: str = urllib.request.urlopen(url, timeout=60).read().decode()
    return text


def _answers(url: str) -> bool:
    try:
        return urllib.request.urlopen(url, timeout=5).status == 200
    except OSError:
        return False
