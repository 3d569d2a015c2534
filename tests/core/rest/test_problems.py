"""Errors are problem documents with the wrong field and advice."""

from __future__ import annotations

import json
import tempfile
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.utils.timezone import now
from kombu.exceptions import OperationalError as BrokerError
from rest_framework import exceptions

from core.accounts import tokens
from core.accounts.models import ApiToken
from core.rest import problems
from core.rest.parsers import MAX_LEVELS
from tests.core.rest.people import BASE, Caller, caller, person


def check_problem(response: Any, status: int, kind: str) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = response.json()
    assert problem["type"] == f"/api/v1/docs/#problem-{kind}"
    assert problem["status"] == status
    assert problem["title"] and problem["detail"]
    assert problem["instance"].startswith(BASE)
    return problem


def test_an_unknown_url_is_404(researcher: Caller) -> None:
    check_problem(researcher.get("/moon"), 404, "not-found")
    check_problem(researcher.post("/sets/x/moon", {}), 404, "not-found")


def test_an_unknown_method_is_405(researcher: Caller) -> None:
    refused = researcher.delete("/sets")
    check_problem(refused, 405, "method-not-allowed")
    assert refused["Allow"] == "GET, POST, HEAD"


def test_visitors_get_401(db: None) -> None:
    refused = Caller().post("/studies", {"slug": "s"})
    check_problem(refused, 401, "account-needed")
    assert refused["WWW-Authenticate"] == 'Bearer realm="Concord"'


@pytest.mark.parametrize("token", ["concord_unknown", "Bearer", "x y", "concord_\xff"])
def test_an_invalid_token(db: None, token: str) -> None:
    check_problem(Caller(token).get("/sets"), 401, "token-refused")


def test_expired_revoked_and_closed_tokens(db: None) -> None:
    user = person("ruth", is_staff=True)
    asks = caller(user)
    assert asks.get("/studies").status_code == 200
    ApiToken.objects.update(expires_at=now() - timedelta(seconds=1))
    check_problem(asks.get("/studies"), 401, "token-refused")
    asks = caller(user)
    tokens.revoke(user, ApiToken.objects.latest("pk").pk, at=now())
    check_problem(asks.get("/studies"), 401, "token-refused")
    asks = caller(user)
    user.is_active = False
    user.save()
    check_problem(asks.get("/studies"), 401, "token-refused")


def test_the_error_names_the_missing_scope(db: None) -> None:
    asks = caller(person("ruth", is_staff=True), "studies:read")
    problem = check_problem(asks.post("/studies", {}), 403, "scope-needed")
    assert "studies:write" in problem["detail"]
    check_problem(asks.get("/sets"), 403, "scope-needed")


def test_a_browser_needs_its_csrf_token(db: None) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person("ruth", is_staff=True))
    body = json.dumps({"slug": "one", "title": "One"})
    refused = client.post(f"{BASE}/studies", body, content_type="application/json")
    check_problem(refused, 403, "not-allowed")
    client.get("/sign-in/")
    token = client.cookies["csrftoken"].value
    created = client.post(
        f"{BASE}/studies", body, content_type="application/json", headers={"X-CSRFToken": token}
    )
    assert created.status_code == 201, created.content


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff\xfe",
        b'{"slug": NaN}',
        b'{"slug": "a", "slug": "b"}',
        b"[" * (MAX_LEVELS + 1) + b"]" * (MAX_LEVELS + 1),
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    ],
)
def test_a_malformed_body(researcher: Caller, body: bytes) -> None:
    refused = researcher.client.post(
        f"{BASE}/studies",
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {researcher.token}"},
    )
    check_problem(refused, 400, "malformed")


def test_a_body_that_is_too_large(researcher: Caller, settings: Any) -> None:
    settings.API_MAX_JSON_BYTES = 100
    refused = researcher.post("/studies", {"title": "x" * 200})
    check_problem(refused, 413, "body-too-large")


def test_a_body_of_another_kind(researcher: Caller) -> None:
    refused = researcher.client.post(
        f"{BASE}/studies",
        b"<a/>",
        content_type="application/xml",
        headers={"Authorization": f"Bearer {researcher.token}"},
    )
    check_problem(refused, 415, "media-type")


def test_an_unsupported_media_type_of_the_response(researcher: Caller) -> None:
    check_problem(researcher.get("/sets", Accept="text/html"), 406, "not-acceptable")


@pytest.mark.parametrize("field", ["id", "owner", "published_at", "is_staff"])
def test_an_unknown_field_is_refused_by_name(researcher: Caller, field: str) -> None:
    body = {"slug": "one", "title": "One", field: 1}
    problem = check_problem(researcher.post("/studies", body), 422, "invalid")
    assert [fault["field"] for fault in problem["errors"]] == [field]


def test_the_error_of_a_query_names_the_parameter(researcher: Caller) -> None:
    problem = check_problem(researcher.get("/sets?limit=0&moon=1"), 400, "query-invalid")
    assert {fault["field"] for fault in problem["errors"]} >= {"limit"}
    check_problem(researcher.get("/sets?moon=1"), 400, "query-invalid")


@pytest.mark.parametrize("cursor", ["x", "", "W10:1abc:def"])
def test_an_invented_cursor_is_refused(researcher: Caller, cursor: str) -> None:
    check_problem(researcher.get(f"/sets?cursor={cursor}"), 400, "query-invalid")


@pytest.mark.parametrize("path", ["/sets/a%00b", "/studies/a%00b", "/sets/x/candidates/a%00b"])
def test_names_with_nul_are_refused(researcher: Caller, path: str) -> None:
    check_problem(researcher.get(path), 404, "not-found")


def test_an_unexpected_error_is_a_problem_without_details(
    researcher: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr("annotation.studies.services.access.studies_for", fail)
    researcher.client.raise_request_exception = False
    problem = check_problem(researcher.get("/studies"), 500, "server-fault")
    assert "secret" not in json.dumps(problem)


def test_problems_name_no_folder_and_no_server() -> None:
    path = f"{tempfile.gettempdir()}/concord-upload-a/0/scores.csv"
    context = {"request": RequestFactory().get("/api/v1/sets")}
    for error in (exceptions.ParseError(f"{path}:3: no number"), BrokerError("unix:///run/a.sock")):
        answer = problems.handle(error, context)
        assert answer is not None
        text = json.dumps(answer.data)
        assert tempfile.gettempdir() not in text and "a.sock" not in text
