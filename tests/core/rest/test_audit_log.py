"""The endpoint of the whole audit log, for administrators and tokens with its scope."""

from __future__ import annotations

import pytest

from tests.core.rest.people import caller, person

pytestmark = pytest.mark.django_db


def test_an_administrator_reads_the_audit_log_latest_first() -> None:
    asks = caller(person("ada", is_superuser=True, is_staff=True))
    caller(person("bob"), "sets:read")
    page = asks.get("/audit?action=access.granted+to+a+program&limit=1").json()
    assert [one["action"] for one in page["results"]] == ["access.granted to a program"]
    second = asks.get(page["next"].partition("/api/v1")[2]).json()
    assert second["results"][0]["id"] < page["results"][0]["id"]


def test_only_administrators_and_tokens_with_the_scope_have_access() -> None:
    assert caller(person("rob", is_staff=True)).get("/audit").status_code == 403
    refused = caller(person("ada", is_superuser=True), "studies:read").get("/audit")
    assert refused.json()["type"].endswith("scope-needed")
