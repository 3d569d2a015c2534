"""/metrics: access, values and labels."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.db import connection
from django.test import Client
from django.utils.timezone import now
from prometheus_client.parser import text_string_to_metric_families

from annotation.rating.models import Assignment
from benchmarks.runs.models import MetricRun, RunChunk
from tests.access.scene import make_everything
from tests.waiting import wait_for
from tests.web_site import WebSite

TOKEN = "a token of more than twenty characters"
Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture(autouse=True)
def with_token(settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN


def read(text: str) -> Figures:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def figures(client: Client | None = None) -> Figures:
    response = (client or Client()).get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain")
    return read(response.content.decode())


def one(values: Figures, name: str, **labels: str) -> float:
    return values[name, frozenset(labels.items())]


def test_metrics_need_the_token(db: None, settings: Any) -> None:
    client = Client()
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {TOKEN}"}):
        refused = client.get("/metrics", headers=headers)
        assert (refused.status_code, refused.content) == (401, b"")
        assert refused["WWW-Authenticate"] == "Bearer"
    assert figures(client)
    settings.METRICS_TOKEN = ""
    for headers in ({}, {"authorization": "Bearer "}, {"authorization": f"Bearer {TOKEN}"}):
        assert client.get("/metrics", headers=headers).status_code == 404


def test_requests_are_counted_by_route_method_and_status(db: None) -> None:
    client = Client()
    before = figures()
    for path in ("/sets/nowhere/", "/sets/elsewhere/", "/no/such/page/", "/healthz"):
        client.get(path)
    client.post("/sign-in/", {"username": "Rosa", "password": "wrong"})
    after = figures()

    def grown(**labels: str) -> float:
        key = ("concord_http_requests_total", frozenset(labels.items()))
        return after.get(key, 0) - before.get(key, 0)

    assert grown(route="judgment-set", method="GET", status="404") == 2
    assert grown(route="none", method="GET", status="404") == 1
    assert grown(route="sign-in", method="POST", status="200") == 1
    assert grown(route="healthz", method="GET", status="200") == 0
    labels = {"route": "judgment-set", "method": "GET"}
    assert one(after, "concord_http_request_seconds_count", **labels) >= 2
    assert 0 < one(after, "concord_http_request_seconds_sum", **labels) < 60


@pytest.mark.django_db(transaction=True)
def test_jobs_and_leases_are_counted(tmp_path: Path) -> None:
    """The data are committed, since metrics are read by another connection."""
    scene = make_everything(tmp_path)
    run = scene.set.queued
    RunChunk.objects.filter(run=run).delete()
    for index, (status, minutes) in enumerate((("queued", 0), ("running", 5), ("running", -5))):
        RunChunk.objects.create(
            run=run,
            index=index,
            status=status,
            n_items=1,
            positions=b"\0\0\0\0",
            sent_at=now(),
            lease_until=now() + timedelta(minutes=minutes),
        )
    queued = RunChunk.objects.filter(status="queued").count()
    hold = Assignment.objects.filter(status="held").first() or Assignment.objects.first()
    Assignment.objects.filter(pk=hold.pk).update(
        status="held", lease_until=now() - timedelta(hours=1)
    )
    values = figures()
    for status in ("queued", "failed", "complete"):
        number = MetricRun.objects.filter(status=status).count()
        assert one(values, "concord_jobs", kind="metric-run", status=status) == number > 0
    assert one(values, "concord_jobs", kind="run-chunk", status="queued") == queued
    assert one(values, "concord_jobs", kind="run-chunk", status="running") == 2
    assert one(values, "concord_jobs", kind="set-import", status="queued") == 1
    assert one(values, "concord_jobs", kind="delivery", status="waiting") >= 1
    assert one(values, "concord_leases", kind="run-chunk", state="held") == 1
    assert one(values, "concord_leases", kind="run-chunk", state="lapsed") == 1
    assert one(values, "concord_leases", kind="assignment", state="lapsed") == 1
    assert one(values, "concord_server_up", server="database") == 1


@pytest.mark.django_db(transaction=True)
def test_no_label_names_a_worker_a_study_or_a_set(tmp_path: Path) -> None:
    scene = make_everything(tmp_path)
    study = scene.study
    client = Client()
    for path in (f"/studies/{study.slug}/", f"/sets/{scene.set.ref}/", f"/rate/{study.slug}/"):
        client.get(path)
    text = str(figures())
    names = [study.slug, study.study.title, scene.set.ref, study.workers[0].worker.name]
    assert [name for name in names if name in text] == []


@pytest.fixture
def empty_queues() -> Iterator[None]:
    current_app.control.purge()
    yield
    current_app.control.purge()


def test_messages_in_queues_are_counted(db: None, settings: Any, empty_queues: None) -> None:
    first, second, *_ = (queue.name for queue in settings.CELERY_TASK_QUEUES)
    assert one(figures(), "concord_queue_messages", queue=first) == 0
    for _ in range(3):
        current_app.send_task("benchmarks.tasks.train", [0], queue=first)
    values = figures()
    assert one(values, "concord_queue_messages", queue=first) == 3
    assert one(values, "concord_queue_messages", queue=second) == 0
    assert one(values, "concord_server_up", server="broker") == 1


def test_a_server_that_is_away_is_named_and_the_rest_is_reported(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setitem(connection.settings_dict, "HOST", "127.0.0.1")
    monkeypatch.setitem(connection.settings_dict, "PORT", 1)
    values = figures()
    assert one(values, "concord_server_up", server="database") == 0
    assert one(values, "concord_server_up", server="broker") == 0
    assert not any(name in ("concord_jobs", "concord_queue_messages") for name, _ in values)


def test_all_web_processes_report_the_same_figures(database_url: str, tmp_path: Path) -> None:
    """Every process reports the sum of the requests of all processes."""
    site = WebSite(
        database_url,
        tmp_path / "site.log",
        METRICS_TOKEN=TOKEN,
        WEB_WORKERS="3",
        TMPDIR=str(tmp_path),
    )
    site.start()

    def get(path: str, **headers: str) -> str:
        request = urllib.request.Request(site.url + path, headers=headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            return str(response.read().decode())

    try:
        wait_for(lambda: get("/healthz"))
        for _ in range(60):
            get("/sign-in/")
        labels = {"route": "sign-in", "method": "GET", "status": "200"}
        for _ in range(10):
            values = read(get("/metrics", Authorization=f"Bearer {TOKEN}"))
            assert one(values, "concord_http_requests_total", **labels) == 60
        assert len(list(tmp_path.glob("concord-metrics-*/counter_*.db"))) > 1
    finally:
        site.stop()
    assert not list(tmp_path.glob("concord-metrics-*"))
