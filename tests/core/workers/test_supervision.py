"""Supervised processes are restarted when they end, and stopped on request."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kombu.pools
import pytest
from celery import current_app

from core.workers.supervision import Child, end_all, run_in_child
from tests.waiting import wait_for


@pytest.fixture(autouse=True)
def closed_broker_connections() -> None:
    """A forked child closes the connections that it inherits. One on which an earlier test waits
    for a message would never end, because this process gets the answer."""
    current_app.pool.force_close_all()
    kombu.pools.reset()
    # A closed pool stays closed: later tests of this process get a new one.
    current_app._after_fork()


def sleep_for_ever() -> None:
    os.write(1, b"started\n")
    time.sleep(3600)


def end_at_once() -> None:
    pass


def fail() -> None:
    raise SystemExit(3)


def ignore_the_end() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.write(1, b"ready\n")
    time.sleep(3600)


@pytest.fixture
def reports() -> list[str]:
    return []


@pytest.fixture
def make() -> Iterator[Callable[..., Child]]:
    """Create children that end with the test."""
    children: list[Child] = []

    def build(*arguments: Any, **more: Any) -> Child:
        children.append(Child(*arguments, **more))
        return children[-1]

    yield build
    for child in children:
        child.end(timeout=1.0)


def test_a_child_that_is_killed_is_started_again_after_a_pause(make, reports):
    child = make("clock", sleep_for_ever, report=reports.append)
    child.ensure()
    assert child.process is not None
    first = child.process.pid
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: not child.process.is_alive())
    child.ensure()
    assert reports == ["The clock ended (-9); restarting it."]
    assert child.process is None, "it died at once: there is a pause before the next start"

    def started() -> bool:
        child.ensure()
        return child.process is not None

    wait_for(started)
    assert child.process.pid != first
    child.end()


def test_a_child_that_ends_by_itself_is_started_again_at_once(make, reports):
    child = make("model", end_at_once, report=reports.append)
    child.ensure()
    wait_for(lambda: not child.process.is_alive())
    first = child.process.pid
    child.ensure()
    assert child.process is not None and child.process.pid != first
    assert reports == []
    child.end()


def test_the_output_of_a_child_goes_to_its_log(make, tmp_path: Path):
    child = make("clock", sleep_for_ever, log=tmp_path / "log" / "clock.log")
    child.ensure()
    wait_for(lambda: (tmp_path / "log" / "clock.log").exists())
    wait_for(lambda: (tmp_path / "log" / "clock.log").read_text() == "started\n")
    end_all([child])
    assert child.process is None


def test_a_child_that_does_not_stop_is_killed(make, tmp_path: Path):
    log = tmp_path / "log"
    child = make("stubborn", ignore_the_end, log=log)
    child.ensure()
    wait_for(lambda: log.exists() and log.read_text() == "ready\n")
    child.end(timeout=0.2)
    assert child.process is None


def test_the_status_of_a_child_is_returned():
    assert run_in_child("good", end_at_once) == 0
    assert run_in_child("bad", fail) == 3
