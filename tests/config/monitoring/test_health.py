"""Health checks: the process answers, and the site is ready or names the missing server."""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from amqp.exceptions import AccessRefused
from django.db import connection
from django.test import Client

from config.monitoring.readiness import READINESS
from tests.config import databases

READY = {"database": "ok", "broker": "ok"}
NAME = "concord_not_migrated"
PASSWORD = "a-password-of-a-server"


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request asks the servers."""
    monkeypatch.setattr(READINESS, "kept_seconds", 0.0)


def test_many_probes_open_few_sessions(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(READINESS, "kept_seconds", 600.0)
    monkeypatch.setattr(READINESS, "_asked_at", -math.inf)
    sessions: list[object] = []
    connect = psycopg.connect
    monkeypatch.setattr(psycopg, "connect", lambda **more: sessions.append(1) or connect(**more))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: Client().get("/readyz").status_code, range(40)))
    assert answers == [200] * 40 and len(sessions) == 1


@pytest.fixture
def silent_port() -> Iterator[int]:
    """The port of a server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@pytest.fixture
def new_database(database_url: str) -> Iterator[str]:
    """The URL of an empty database; dropped afterwards."""
    with databases.new_database(database_url, NAME) as url:
        yield url


def use_database(monkeypatch: pytest.MonkeyPatch, **settings: Any) -> None:
    for name, value in settings.items():
        monkeypatch.setitem(connection.settings_dict, name, value)


def test_the_process_answers_without_any_other_server(
    settings: Any, monkeypatch: pytest.MonkeyPatch, closed_port: int
) -> None:
    settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{closed_port}/0"
    use_database(monkeypatch, HOST="127.0.0.1", PORT=closed_port)
    response = Client().get("/healthz")
    assert (response.status_code, response.json()) == (200, {"process": "ok"})


def test_a_migrated_database_and_a_broker_make_the_site_ready(db: None) -> None:
    response = Client().get("/readyz")
    assert (response.status_code, response.json()) == (200, READY)
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize("probe", ["/healthz", "/readyz"])
def test_probes_ask_by_any_host_without_tls_and_get_no_session(
    db: None, settings: Any, probe: str
) -> None:
    settings.SECURE_SSL_REDIRECT = True
    settings.ALLOWED_HOSTS = ["concord.example.org"]
    assert Client().get("/sign-in/", headers={"host": "10.0.0.7:8000"}).status_code == 400
    response = Client().get(probe, headers={"host": "10.0.0.7:8000"})
    assert response.status_code == 200
    assert not response.cookies
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"


def test_probes_write_nothing_to_the_database(
    db: None, django_assert_num_queries: Any, client: Client
) -> None:
    with django_assert_num_queries(0):
        for _ in range(50):
            assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize("scheme", ["redis", "amqp"])
@pytest.mark.parametrize("kind", ["silent_port", "closed_port"])
def test_a_broker_that_does_not_answer_is_named_soon(
    db: None, settings: Any, scheme: str, kind: str, request: pytest.FixtureRequest
) -> None:
    port = request.getfixturevalue(kind)
    settings.CELERY_BROKER_URL = f"{scheme}://somebody:{PASSWORD}@127.0.0.1:{port}/0"
    started = time.monotonic()
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"database": "ok", "broker": "unreachable"}
    assert PASSWORD not in str(response.headers) + response.content.decode()
    # Several timeouts of 2 s, not the minutes that a connection may wait.
    assert time.monotonic() - started < 100


def test_a_broker_that_refuses_the_password_is_named(
    db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AccessRefused(f"Login was refused: {PASSWORD}")

    monkeypatch.setattr("kombu.Connection.ensure_connection", refuse)
    settings.CELERY_BROKER_URL = f"amqp://somebody:{PASSWORD}@127.0.0.1//"
    response = Client().get("/readyz")
    assert response.json() == {"database": "ok", "broker": "unreachable"}


@pytest.mark.parametrize("kind", ["silent_port", "closed_port"])
def test_a_database_that_does_not_answer_is_named_soon(
    monkeypatch: pytest.MonkeyPatch, kind: str, request: pytest.FixtureRequest
) -> None:
    port = request.getfixturevalue(kind)
    use_database(monkeypatch, HOST="127.0.0.1", PORT=port, PASSWORD=PASSWORD)
    started = time.monotonic()
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"database": "unreachable", "broker": "ok"}
    assert time.monotonic() - started < 100


def test_a_database_without_the_latest_migrations_is_not_ready(
    new_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {"database": "not migrated", "broker": "ok"}
    with monkeypatch.context() as patch:
        use_database(patch, NAME=NAME)
        empty = Client().get("/readyz")
        assert (empty.status_code, empty.json()) == (503, expected)
        with psycopg.connect(new_database) as own:
            own.execute("CREATE TABLE django_migrations (app text, name text)")
            own.execute("INSERT INTO django_migrations VALUES ('auth', '0001_initial')")
        older = Client().get("/readyz")
        assert (older.status_code, older.json()) == (503, expected)
