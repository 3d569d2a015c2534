"""A site whose broker is stopped: requests for work succeed, once, and pages still answer."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.contrib.auth.models import User
from django.utils.timezone import now

from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import SetMember
from config.embedded.servers import _redis_server
from core.accounts.roles import Role
from core.processes import die_with_parent
from tests.benchmarks.factories import make_set
from tests.core.rest.people import caller
from tests.waiting import wait_for
from tests.web_site import WebSite


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A Redis of the test's own, and its URL."""
    path = tmp_path / "redis.sock"
    command = [_redis_server(), "--port", "0", "--unixsocket", str(path), "--dir", str(tmp_path)]
    with subprocess.Popen(command, preexec_fn=die_with_parent()) as process:
        client = redis.Redis(unix_socket_path=str(path))
        wait_for(lambda: path.exists() and client.ping())
        try:
            yield process, f"redis+socket://{path}"
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_run_is_requested_once_and_pages_answer_without_the_broker(
    database_url: str, tmp_path: Path, broker: tuple[subprocess.Popen[bytes], str]
) -> None:
    rosa = User.objects.create_user("rosa", is_staff=True)
    judgment_set = make_set(tmp_path)
    SetMember.objects.create(set_name=judgment_set.name, user=rosa, role=Role.OWNER, since=now())
    ref = str(judgment_set)
    token = caller(rosa).token
    process, url = broker
    site = WebSite(database_url, tmp_path / "site.log", BROKER_URL=url)
    site.start()

    def send(path: str, body: object = None) -> tuple[int, Any]:
        request = urllib.request.Request(
            f"{site.url}{path}",
            json.dumps(body).encode() if body else None,
            {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.status, answer.read().decode()

    try:
        assert send("/readyz")[0] == 200
        process.kill()
        process.wait()
        for _ in range(2):
            status, text = send(f"/api/v1/sets/{ref}/runs", {"metrics": ["bleu-1"]})
            assert status == 202
        (run,) = MetricRun.objects.all()
        assert json.loads(text)["runs"][0]["id"] == run.pk and run.status == "queued"
        MetricRun.objects.update(created_at=now() - timedelta(hours=1))
        assert send(f"/api/v1/sets/{ref}/runs/{run.pk}")[0] == 200
        assert send(f"/sets/{ref}/runs/")[0] == 200
    finally:
        site.stop()
