"""An unreachable database: requests get status 503, and no job fails."""

from __future__ import annotations

import io
import logging
import socket
from collections.abc import Iterator

import pytest
from django.db import InternalError, OperationalError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.checkpoints.services import folder_of
from benchmarks.imports.models import SetImport
from core.jobs.performing import perform
from core.logs.lines import RecordFilter
from tests.benchmarks.factories import ask_for_import
from tests.core.rest.people import person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the database unreachable: no server listens on its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    connection.close()
    with monkeypatch.context() as changed:
        changed.setitem(connection.settings_dict, "HOST", "127.0.0.1")
        changed.setitem(connection.settings_dict, "PORT", port)
        yield
    connection.close()


def test_pages_say_that_the_outage_is_temporary(away: None) -> None:
    response = Client(raise_request_exception=False).get(reverse("judgment-sets"))
    assert response.status_code == 503
    assert int(response["Retry-After"]) > 0
    assert "The database cannot be reached just now" in response.content.decode()


def test_programs_get_a_503_problem(away: None) -> None:
    response = Client(raise_request_exception=False).get("/api/v1/sets")
    assert response.status_code == 503
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["type"] == "/api/v1/docs/#problem-database-away"


def test_an_outage_logs_one_line_for_each_request(away: None) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RecordFilter())
    logger = logging.getLogger("django.request")
    logger.addHandler(handler)
    try:
        Client(raise_request_exception=False).get("/api/v1/sets")
    finally:
        logger.removeHandler(handler)
    (line,) = stream.getvalue().splitlines()
    assert "/api/v1/sets: " in line and "127.0.0.1" in line and "Traceback" not in line


def test_a_checkpoint_is_not_reported_missing(away: None) -> None:
    """A metric run that looked for it would fail for good."""
    with pytest.raises(OperationalError):
        folder_of("trained-here")


def test_a_read_only_database_does_not_fail_a_job(tmp_path) -> None:
    """For a moment after a failover, a connection may lead to a replica."""
    requested = ask_for_import(person("ruth", is_staff=True), tmp_path)
    job = SetImport.claim(requested.pk, at=now())
    assert job is not None

    def work() -> None:
        with transaction.atomic():
            connection.cursor().execute("SET TRANSACTION READ ONLY")
            job.complete(at=now())

    with pytest.raises(InternalError):
        perform(job, work)
    job.refresh_from_db()
    assert job.status == SetImport.Status.RUNNING
