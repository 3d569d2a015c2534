"""The account endpoints: tokens from a browser only, sessions, invitations."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from core.accounts.models import ApiToken
from tests.core.rest.people import BASE, Caller, caller, person


@pytest.fixture
def ruth(db: None) -> User:
    return person("ruth", is_staff=True)


@pytest.fixture
def browser(ruth: User) -> Client:
    client = Client()
    client.force_login(ruth)
    return client


def post(client: Client, path: str, body: dict[str, Any]) -> Any:
    return client.post(BASE + path, json.dumps(body), content_type="application/json")


def test_an_account_shows_its_name_and_the_scopes_of_its_token(ruth: User) -> None:
    account = caller(ruth, "sets:read").get("/account").json()
    assert account == {
        "username": "ruth",
        "is_researcher": True,
        "is_administrator": False,
        "scopes": ["sets:read"],
    }


def test_a_browser_creates_a_token_that_is_shown_once(browser: Client) -> None:
    created = post(browser, "/account/tokens", {"name": "runs", "scopes": ["sets:read"]})
    assert created.status_code == 201, created.content
    assert created["Cache-Control"] == "no-store"
    asks = Caller(created.json()["token"])
    assert asks.get("/sets").status_code == 200
    listed = browser.get(f"{BASE}/account/tokens").json()["results"]
    assert [one["name"] for one in listed] == ["runs"]
    assert created.json()["token"] not in json.dumps(listed)
    assert browser.delete(f"{BASE}/account/tokens/{listed[0]['id']}").status_code == 204
    assert asks.get("/sets").status_code == 401


def test_tokens_cannot_create_or_list_tokens(ruth: User) -> None:
    asks = caller(ruth)
    refused = asks.post("/account/tokens", {"name": "more", "scopes": ["sets:read"]})
    assert refused.status_code == 403
    assert refused.json()["type"].endswith("#problem-browser-needed")
    assert asks.get("/account/tokens").status_code == 403
    assert ApiToken.objects.count() == 1


def test_tokens_of_other_accounts_are_not_found(browser: Client) -> None:
    caller(person("rob"))
    other = ApiToken.objects.get(user__username="rob")
    assert browser.delete(f"{BASE}/account/tokens/{other.pk}").status_code == 404
    assert ApiToken.objects.get(pk=other.pk).revoked_at is None


def test_researchers_invite_by_a_link_and_withdraw_it(browser: Client) -> None:
    created = post(browser, "/account/invitations", {"site_role": "submitter"})
    assert created.status_code == 201, created.content
    link = created.json()["link"].removeprefix("http://testserver")
    assert Client().get(link).status_code == 200
    gone = browser.delete(f"{BASE}/account/invitations/{created.json()['id']}")
    assert gone.status_code == 204
    listed = browser.get(f"{BASE}/account/invitations").json()["results"]
    assert listed[0]["link"] is None


def test_a_session_is_ended(browser: Client) -> None:
    browser.get("/account/")
    (own,) = browser.get(f"{BASE}/account/sessions").json()["results"]
    assert browser.delete(f"{BASE}/account/sessions/{own['id']}").status_code == 204
    assert browser.get(f"{BASE}/account").status_code == 401
