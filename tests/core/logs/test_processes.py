"""The logs of a real web server and a real worker, in JSON."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from benchmarks.tryouts.tasks import score_tryout
from tests.conftest import Worker
from tests.waiting import wait_for
from tests.web_site import WebSite

SECRET = "1aBcDeFgHiJkLmNoPqRsTuVwXyZ"


def lines_of(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]


def test_every_line_of_the_web_server_is_json(database_url: str, tmp_path: Path) -> None:
    site = WebSite(database_url, tmp_path / "site.log", LOG_FORMAT="json", TRUSTED_PROXIES="1")
    site.start()
    request_id = "a-number-of-the-proxy"
    request = urllib.request.Request(
        f"{site.url}/rate/{SECRET}/nowhere?workerId=A2WORKER", headers={"X-Request-ID": request_id}
    )
    try:
        try:
            urllib.request.urlopen(request, timeout=180)
        except urllib.error.HTTPError as answer:
            assert answer.code == 404
            assert answer.headers["X-Request-ID"] == request_id
        wait_for(lambda: any("path" in line for line in lines_of(site.log)))
    finally:
        site.stop()
    text = site.log.read_text()
    records = lines_of(site.log)
    assert len(records) == len(text.splitlines())
    assert SECRET not in text and "A2WORKER" not in text
    (access,) = [line for line in records if line["logger"] == "gunicorn.access"]
    expected = {"method": "GET", "path": "/rate/…/nowhere", "status": 404, "request_id": request_id}
    assert expected.items() <= access.items()
    (warning,) = [line for line in records if line["logger"] == "django.request"]
    assert warning["request_id"] == request_id
    assert any(line["logger"] == "gunicorn.error" for line in records)


def test_an_address_forges_no_line_of_the_web_server(database_url: str, tmp_path: Path) -> None:
    site = WebSite(database_url, tmp_path / "site.log")
    site.start()
    try:
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{site.url}/none/%0aforged", timeout=180)
        wait_for(lambda: site.log.read_text().count("/none/\\nforged") == 2)
    finally:
        site.stop()
    assert "\nforged" not in site.log.read_text()


def test_lines_of_a_task_have_its_name_and_key(worker: Worker) -> None:
    worker.environment["LOG_FORMAT"] = "json"
    worker.start("--queues", "encoder")
    score_tryout.delay(987654321)
    job = f"{score_tryout.name} 987654321"

    def lines() -> list[dict[str, Any]]:
        return lines_of(worker.log)

    def ends() -> list[dict[str, Any]]:
        return [
            one for one in lines() if f"{score_tryout.name}[" in one["message"] and "job_id" in one
        ]

    wait_for(ends)
    assert [(one["job_id"], " succeeded in " in one["message"]) for one in ends()] == [(job, True)]
    assert not any("job_id" in one for one in lines() if one["message"].endswith(" ready."))
