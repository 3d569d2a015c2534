"""A researcher with a token, and the client speaking with a live server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils.timezone import now
from pytest_django.live_server_helper import LiveServer

from annotation.studies import tasks as study_tasks
from annotation.studies.services import candidate_imports
from benchmarks.freezing import services as freezing
from benchmarks.freezing import tasks as freezing_tasks
from benchmarks.imports import services as imports
from benchmarks.imports import tasks
from concord.client import Client
from core.accounts import tokens
from tests.core.rest.people import person


@pytest.fixture
def token(transactional_db: None) -> str:
    researcher = person("ruth", is_staff=True)
    ends = now() + timedelta(days=1)
    return tokens.make(researcher, "tests", tokens.SCOPES, expires_at=ends, at=now())[1]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Imports and freezings are done where they are asked for, in the server's thread."""
    monkeypatch.setattr(study_tasks.import_candidates, "delay", candidate_imports.IMPORTS.perform)
    monkeypatch.setattr(freezing_tasks.freeze_study, "delay", freezing.FREEZINGS.perform)
    monkeypatch.setattr(tasks.import_set, "delay", imports.SET_IMPORTS.perform)


@pytest.fixture
def client(live_server: LiveServer, token: str, at_once: None) -> Iterator[Client]:
    with Client(live_server.url, token) as result:
        yield result
