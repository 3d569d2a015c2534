"""Rate limits of requests: status 429 with the time to wait."""

from __future__ import annotations

import time

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import Client
from django.urls import path

from core.security.limits.middleware import RateLimitMiddleware, in_words
from core.security.models import Bucket

SIGN_IN = "/sign-in/"


class Ping:
    """URLs of a site with an API."""

    urlpatterns = [path("api/v1/ping", lambda request: HttpResponse("pong"))]


def sign_in(client: Client, password: str, name: str = "ann", address: str = "192.0.2.1"):
    form = {"username": name, "password": password}
    return client.post(SIGN_IN, form, REMOTE_ADDR=address)


@pytest.fixture
def ann(db, settings) -> User:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    return User.objects.create_user("ann", password="correct horse battery")


def test_password_guesses_are_limited_and_the_answer_gives_advice(ann, rates):
    rates(sign_in="3/15m")
    client = Client()
    assert [sign_in(client, f"guess {n}").status_code for n in range(3)] == [200] * 3
    refused = sign_in(client, "correct horse battery")
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 300
    assert b"Wait 5 minutes" in refused.content and b"forgotten" in refused.content
    assert sign_in(client, "guess", address="192.0.2.2").status_code == 200


def test_spellings_of_a_name_share_one_limit(ann, rates):
    rates(sign_in="1/15m")
    sign_in(Client(), "guess")
    for name in ("ANN", " ann ", "\uff41nn"):
        assert sign_in(Client(), "guess", name=name).status_code == 429


def test_successful_sign_ins_are_not_counted(ann, rates):
    rates(sign_in="2/15m", sign_in_address="2/15m", sign_in_account="2/h")
    for _ in range(6):
        assert sign_in(Client(), "correct horse battery").status_code == 302


def test_an_account_has_one_limit_for_all_addresses(ann, rates):
    rates(sign_in_account="4/h")
    statuses = [sign_in(Client(), "guess", address=f"198.51.100.{n}").status_code for n in range(6)]
    assert statuses == [200] * 4 + [429] * 2


def test_an_address_has_one_limit_for_all_accounts(db, rates):
    rates(sign_in_address="4/h")
    statuses = [sign_in(Client(), "guess", name=f"name{n}").status_code for n in range(6)]
    assert statuses == [200] * 4 + [429] * 2


def test_the_admin_sign_in_has_the_same_limit(ann, rates):
    rates(sign_in="1/15m")
    sign_in(Client(), "guess")
    form = {"username": "ann", "password": "x"}
    refused = Client().post("/admin/login/", form, REMOTE_ADDR="192.0.2.1")
    assert refused.status_code == 429


@pytest.mark.parametrize("attempts", [400, pytest.param(10_000, marks=pytest.mark.slow)])
def test_at_most_a_hundred_attempts_an_hour_are_checked(ann, monkeypatch, attempts):
    """Attempts from a thousand addresses at one account, with the default limits."""
    looked_at = []
    monkeypatch.setattr(
        "django.contrib.auth.backends.ModelBackend.authenticate",
        lambda self, request, **credentials: looked_at.append(credentials),
    )
    client = Client()
    started = time.monotonic()
    statuses = {
        sign_in(client, f"{n}", address=f"10.0.{n % 1000 // 250}.{n % 250}").status_code
        for n in range(attempts)
    }
    elapsed_hours = (time.monotonic() - started) / 3600
    assert statuses == {200, 429}
    assert 100 <= len(looked_at) <= 100 * (1 + elapsed_hours) + 1


def test_writes_are_limited_by_account_and_reads_are_not(ann, rates):
    rates(write="2/m")
    client = Client()
    client.force_login(ann)
    statuses = [client.post("/sets/none/runs/start").status_code for _ in range(3)]
    assert 429 not in statuses[:2] and statuses[2] == 429
    assert {client.get("/").status_code for _ in range(5)} == {200}
    assert Client().post("/sets/none/runs/start").status_code != 429


def test_the_api_and_json_requests_get_json(db, rates, settings):
    rates(rating="1/m", api="1/m")
    path = "/rate/no-such-token/task/1/ratings/"
    for _ in range(2):
        response = Client().post(path, {}, content_type="application/json")
    assert response.status_code == 429 and "Try again in" in response.json()["error"]
    settings.ROOT_URLCONF = Ping
    for _ in range(2):
        response = Client().get("/api/v1/ping", HTTP_AUTHORIZATION="Bearer concord_x")
    assert response.status_code == 429 and response["Content-Type"] == "application/problem+json"
    assert response.json()["status"] == 429


def test_a_rate_may_be_unlimited(ann, rates):
    rates(write="unlimited")
    before = Bucket.objects.count()
    Client().post("/sets/none/runs/start")
    assert Bucket.objects.count() == before


def test_an_invalid_rate_stops_the_start(rates):
    rates(write="often")
    with pytest.raises(ImproperlyConfigured, match="RATE_LIMIT_WRITE: 'often' is not a rate"):
        RateLimitMiddleware(lambda request: None)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(1, "a second"), (60, "60 seconds"), (61, "2 minutes"), (3601, "2 hours")],
)
def test_waits_in_words(seconds, expected):
    assert in_words(seconds) == expected
