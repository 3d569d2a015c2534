"""A request that is sent twice with one key works once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils.timezone import now

from annotation.studies.models import Study
from core.rest import idempotency
from core.rest.models import IdempotencyKey
from tests.core.rest.people import Caller, caller, person

BODY = {"slug": "one", "title": "One"}


def test_the_same_key_and_body_give_the_same_answer_again(researcher: Caller) -> None:
    first = researcher.post("/studies", BODY, Idempotency_Key="k1")
    again = researcher.post("/studies", BODY, Idempotency_Key="k1")
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert first["Location"] == again["Location"]
    assert "Idempotency-Replayed" not in first
    assert again["Idempotency-Replayed"] == "true"
    assert Study.objects.count() == 1


def test_the_same_key_with_another_body_is_refused(researcher: Caller) -> None:
    researcher.post("/studies", BODY, Idempotency_Key="k1")
    other = researcher.post("/studies", BODY | {"slug": "two"}, Idempotency_Key="k1")
    assert other.status_code == 422
    assert other.json()["type"].endswith("#problem-key-used")
    assert Study.objects.count() == 1


def test_keys_of_two_accounts_are_independent(researcher: Caller) -> None:
    researcher.post("/studies", BODY, Idempotency_Key="k1")
    other = caller(person("rob", is_staff=True))
    created = other.post("/studies", BODY | {"slug": "two"}, Idempotency_Key="k1")
    assert created.status_code == 201


def test_a_refused_request_can_be_retried_with_its_key(researcher: Caller) -> None:
    assert researcher.post("/studies", {"slug": "one"}, Idempotency_Key="k1").status_code == 422
    assert researcher.post("/studies", BODY, Idempotency_Key="k1").status_code == 201


def test_a_key_expires_after_a_day(researcher: Caller) -> None:
    researcher.post("/studies", BODY, Idempotency_Key="k1")
    IdempotencyKey.objects.update(created_at=now() - idempotency.RETENTION - timedelta(minutes=1))
    again = researcher.post("/studies", BODY, Idempotency_Key="k1")
    assert again.json()["errors"][0]["field"] == "slug"  # it is made anew, and is there already


@pytest.mark.parametrize("key", ["", "x" * 256, "caf\xe9"])
def test_an_invalid_key_is_refused(researcher: Caller, key: str) -> None:
    refused = researcher.post("/studies", BODY, Idempotency_Key=key)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "Idempotency-Key"


@pytest.mark.django_db(transaction=True)
def test_a_concurrent_second_request_must_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    researcher = caller(person("ruth", is_staff=True))
    at_work, go_on = threading.Event(), threading.Event()
    _hold(monkeypatch, at_work, go_on)
    answers: dict[str, Any] = {}

    def first() -> None:
        answers["first"] = Caller(researcher.token).post("/studies", BODY, Idempotency_Key="k1")
        connection.close()

    thread = threading.Thread(target=first)
    thread.start()
    assert at_work.wait(300)
    meanwhile = researcher.post("/studies", BODY, Idempotency_Key="k1")
    go_on.set()
    thread.join(300)
    assert (meanwhile.status_code, meanwhile["Retry-After"]) == (409, "2")
    assert answers["first"].status_code == 201
    assert researcher.post("/studies", BODY, Idempotency_Key="k1").status_code == 201
    assert Study.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_failure_half_way_leaves_neither_the_work_nor_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    researcher = caller(person("ruth", is_staff=True))
    monkeypatch.setattr(
        "core.rest.idempotency.IdempotencyKey.objects.create", _failing(RuntimeError("killed"))
    )
    with pytest.raises(RuntimeError, match="killed"):
        researcher.post("/studies", BODY, Idempotency_Key="k1")
    assert not Study.objects.exists()
    monkeypatch.undo()
    assert researcher.post("/studies", BODY, Idempotency_Key="k1").status_code == 201


def _hold(
    monkeypatch: pytest.MonkeyPatch, at_work: threading.Event, go_on: threading.Event
) -> None:
    """Make the creation of a study wait in its transaction."""
    from annotation.setup.api import studies

    make = studies.create_study

    def slow(*args: Any, **kwargs: Any) -> Study:
        study = make(*args, **kwargs)
        assert transaction.get_connection().in_atomic_block
        at_work.set()
        assert go_on.wait(300)
        return study

    monkeypatch.setattr(studies, "create_study", slow)


def _failing(error: Exception) -> Callable[..., Any]:
    def fail(**_: Any) -> None:
        raise error

    return fail
