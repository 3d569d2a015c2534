"""Throttling, answers that are lost, and a server that is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from mturk_sandbox import Sandbox
from tests.mturk_sandbox.people import DAY, START, Person, balances, client, terms

ROOT = Path(__file__).resolve().parents[2]


def test_throttled_calls_are_undone_and_retried_by_boto3(sandbox: Sandbox) -> None:
    sandbox.faults.change({"throttle_every": 2})
    impatient = client(sandbox.url)
    impatient.get_account_balance()
    with pytest.raises(ClientError) as caught:
        impatient.create_hit(**terms())
    assert caught.value.response["Error"]["Code"] == "ThrottlingException"
    patient = client(sandbox.url, attempts=3)
    patient.get_account_balance()
    answer = patient.create_hit(**terms())
    assert answer["ResponseMetadata"]["RetryAttempts"] == 1
    assert patient.list_hits()["NumResults"] == 1


def test_a_call_with_a_lost_response_was_done(sandbox: Sandbox, alice: Any) -> None:
    sandbox.faults.change({"die_at": 2})
    alice.get_account_balance()
    with pytest.raises(ConnectionClosedError):
        alice.create_hit(**terms(UniqueRequestToken="once"))
    (hit,) = alice.list_hits()["HITs"]
    with pytest.raises(ClientError, match=hit["HITId"]):
        alice.create_hit(**terms(UniqueRequestToken="once"))


def test_faults_are_changed_over_http(sandbox: Sandbox, bob: Person) -> None:
    import urllib.error
    import urllib.request

    def post(body: bytes) -> int:
        request = urllib.request.Request(f"{sandbox.url}/sandbox/faults", data=body)
        try:
            return int(urllib.request.urlopen(request, timeout=120).status)
        except urllib.error.HTTPError as error:
            return error.code

    assert post(b'{"throttle_every": 3}') == 200
    assert sandbox.faults.throttle_every == 3
    for wrong in (b'{"throttle_every": -1}', b'{"other": 1}', b'{"die_at": "2"}', b"no"):
        assert post(wrong) == 400


def test_settings_on_disk_survive_a_stop(tmp_path: Path) -> None:
    with Sandbox(data=tmp_path, start=START) as first:
        hit = client(first.url).create_hit(**terms())["HIT"]["HITId"]
        Person(first.url, "A1BOB").do(hit)
        first.advance(DAY)
    with Sandbox(data=tmp_path, start=START) as second:
        # The clock does not go back behind what has happened.
        assert second.engine.clock.now() == START + DAY
        assert client(second.url).get_hit(HITId=hit)["HIT"]["HITStatus"] == "Reviewable"


@contextlib.contextmanager
def served(data: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`manage.py mturk_sandbox` in a process of its own, and its address."""
    command = [sys.executable, "manage.py", "mturk_sandbox", "--port", "0", "--data", str(data)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("MTurk sandbox at http://127.0.0.1:"), first
        yield process, first.split()[-1]
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(timeout=120)
        if process.stdout is not None:
            process.stdout.close()


def test_a_killed_server_has_lost_nothing_that_it_answered(tmp_path: Path) -> None:
    with served(tmp_path) as (process, url):
        alice = client(url)
        made = [alice.create_hit(**terms())["HIT"]["HITId"] for _ in range(5)]
        assignment_id = Person(url, "A1BOB").do(made[0])
        alice.approve_assignment(AssignmentId=assignment_id)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=120)
    with served(tmp_path) as (process, url):
        alice = client(url)
        assert [hit["HITId"] for hit in alice.list_hits()["HITs"]] == made[::-1]
        assignment = alice.get_assignment(AssignmentId=assignment_id)["Assignment"]
        assert assignment["AssignmentStatus"] == "Approved"
        assert balances(url) == (1_000_000 - 5 * 12, 4 * 12)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) == 0
        assert process.stdout is not None
        assert process.stdout.read().endswith("Stopped.\n")
