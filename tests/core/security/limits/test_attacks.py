"""Every way to step around a rate limit that an attacker would try."""

from __future__ import annotations

import re
import secrets
import time
from collections import Counter
from datetime import timedelta
from functools import partial
from operator import add

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.timezone import now

from annotation.crowds.services import pages
from annotation.rating.services import participation, tokens
from annotation.studies.models import Study
from config.management.commands.nginx_limits import named_patterns
from config.rate_limits import FILES
from core.accounts.models import ApiToken
from core.accounts.tokens import PREFIX
from core.rest.operations import JSON
from core.security.limits.callers import GROUP_SHARE
from core.security.models import Bucket
from tests.annotation.factories import make_study
from tests.benchmarks.tryouts.test_tryouts import SENT
from tests.core.rest.people import BASE, caller, person

JUNK = 1000
ACCOUNT = f"{BASE}/account"
ADDRESS = "192.0.2.1"


def junk_token() -> str:
    """A header that no other request has, and that looks like a token's."""
    return f"Bearer {PREFIX}{secrets.token_urlsafe(32)}"


def statuses(responses) -> Counter[int]:
    return Counter(response.status_code for response in responses)


def signed_in(name: str) -> Client:
    client = Client()
    client.force_login(User.objects.create_user(name))
    return client


# -- Headers --


@pytest.mark.django_db
def test_a_thousand_junk_headers_are_one_caller(client, rates):
    """They get as many answers as one address, look up as many tokens, and add one row."""
    rates(api="20/h")
    with CaptureQueriesContext(connection) as queries:
        answers = statuses(
            client.get(ACCOUNT, HTTP_AUTHORIZATION=junk_token()) for _ in range(JUNK)
        )
    assert answers == {401: 20, 429: JUNK - 20}
    assert sum("accounts_apitoken" in one["sql"] for one in queries.captured_queries) == 20
    assert Bucket.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "TRACE", "POST", "PROPFIND"])
def test_every_method_counts_in_the_api(client, rates, method):
    rates(api="2/h")
    sent = [
        client.generic(method, ACCOUNT, HTTP_AUTHORIZATION=junk_token()).status_code
        for _ in range(3)
    ]
    assert sent[2] == 429 and 429 not in sent[:2]


@pytest.mark.django_db
def test_junk_headers_do_not_have_a_visitors_answers_scored(client, rates):
    rates(**{"try": "5/h"})
    answers = statuses(
        client.post("/try/", SENT, HTTP_AUTHORIZATION=junk_token()) for _ in range(30)
    )
    assert answers == {200: 5, 429: 25}
    assert Bucket.objects.count() == 1


@pytest.mark.django_db
def test_a_valid_token_is_a_caller_of_its_own(rates):
    """Visitors at its address do not use up its rate, and it does not use up that of others."""
    rates(api="4/h")
    first, second = (caller(person(name)) for name in ("ann", "bob"))
    assert statuses(Client().get(ACCOUNT) for _ in range(5)) == {401: 4, 429: 1}
    junk = Client()
    assert statuses(junk.get(ACCOUNT, HTTP_AUTHORIZATION=junk_token()) for _ in range(3)) == {
        401: 3
    }
    assert statuses(first.get("/account") for _ in range(5)) == {200: 4, 429: 1}
    assert second.get("/account").status_code == 200


@pytest.mark.django_db
def test_many_tokens_of_an_account_share_a_rate(rates):
    rates(api="1/h")
    ann = person("ann")
    mine = [caller(ann) for _ in range(GROUP_SHARE + 2)]
    answers = [
        one.client.get(ACCOUNT, REMOTE_ADDR=f"10.0.0.{n}", HTTP_AUTHORIZATION=f"Bearer {one.token}")
        for n, one in enumerate(mine)
    ]
    assert statuses(answers) == {200: GROUP_SHARE, 429: 2}


# -- Accounts --


@pytest.mark.django_db
def test_many_accounts_at_one_address_share_a_rate(rates):
    rates(write="1/h")
    clients = [signed_in(f"sam{n}") for n in range(GROUP_SHARE + 2)]
    sent = [one.post("/sets/none/runs/start", REMOTE_ADDR=ADDRESS) for one in clients]
    assert [one.status_code == 429 for one in sent] == [False] * GROUP_SHARE + [True] * 2
    elsewhere = signed_in("ann").post("/sets/none/runs/start", REMOTE_ADDR="192.0.2.2")
    assert elsewhere.status_code != 429


@pytest.mark.django_db
def test_invented_names_add_no_rows_once_the_address_is_over_its_rate(client, rates):
    rates(sign_in_address="3/h", password_reset="3/h")
    for n in range(30):
        form = {"username": f"name{n}", "email": f"name{n}@example.org", "password": "guess"}
        client.post("/sign-in/", form)
        client.post("/new-password/", form)
    assert Bucket.objects.count() == (1 + 3 + 3) + (1 + 3)


@pytest.mark.django_db
def test_another_field_does_not_hide_the_account_of_a_password_reset(client, rates):
    rates(password_reset_account="2/h")
    User.objects.create_user("ann", email="ann@example.org", password="correct horse battery")
    sent = [
        client.post("/new-password/", {"username": f"x{n}", "name": f"y{n}", "email": spelled})
        for n, spelled in enumerate(["ann@example.org", " ANN@example.org", "ann@example.org"])
    ]
    assert [one.status_code for one in sent] == [302, 302, 429]


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["/account/password/", "/admin/password_change/"])
def test_old_passwords_cannot_be_guessed_by_another_page(rates, page):
    rates(password_change="2/h")
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    form = {"old_password": "guess", "new_password1": "x", "new_password2": "x"}
    assert statuses(client.post(page, form) for _ in range(3)) == {200: 2, 429: 1}


# -- Addresses --


@pytest.mark.django_db
def test_an_ipv6_site_has_one_rate_for_all_its_networks(client, rates):
    rates(api="1/h")
    sent = [client.get(ACCOUNT, REMOTE_ADDR=f"2001:db8:1:{n:x}::1") for n in range(GROUP_SHARE + 5)]
    assert statuses(sent) == {401: GROUP_SHARE, 429: 5}
    assert Bucket.objects.count() == 1 + GROUP_SHARE
    assert client.get(ACCOUNT, REMOTE_ADDR="2001:db8:2:1::1").status_code == 401


@pytest.mark.django_db
def test_an_ipv6_network_has_one_rate_for_all_its_addresses(client, rates):
    rates(api="2/h")
    sent = [client.get(ACCOUNT, REMOTE_ADDR=f"2001:db8:1:2::{n:x}") for n in range(1, 5)]
    assert statuses(sent) == {401: 2, 429: 2}


@pytest.mark.django_db
@pytest.mark.parametrize("proxies", [0, 1])
def test_forged_forwarded_addresses_change_nothing(client, rates, settings, proxies):
    """The shipped nginx writes the header itself; a proxy that adds to it writes its last entry."""
    settings.TRUSTED_PROXIES = proxies
    rates(api="3/h")
    sent = [
        client.get(
            ACCOUNT,
            REMOTE_ADDR=ADDRESS,
            HTTP_X_FORWARDED_FOR=f"10.1.1.{n}, {ADDRESS}",
            HTTP_FORWARDED=f"for=10.2.2.{n}",
            HTTP_X_REAL_IP=f"10.3.3.{n}",
        )
        for n in range(6)
    ]
    assert statuses(sent) == {401: 3, 429: 3}


@pytest.mark.django_db
@pytest.mark.parametrize("forwarded", ["", "junk {n}", "unknown", "_hidden{n}", "10.1.1.{n}, ,"])
def test_callers_without_a_readable_address_are_counted(client, rates, settings, forwarded):
    settings.TRUSTED_PROXIES = 1
    rates(api="3/h")
    sent = [
        client.get(ACCOUNT, REMOTE_ADDR="", HTTP_X_FORWARDED_FOR=forwarded.format(n=n))
        for n in range(6)
    ]
    assert statuses(sent) == {401: 3, 429: 3}


# -- Rating links --


@pytest.fixture
def study(db) -> Study:
    return make_study()


def rating_link(study: Study, worker: str) -> str:
    participant = participation.join(study, "link", worker, at=now())
    return f"/rate/{tokens.token_for(participant)}/"


@pytest.mark.django_db
def test_invented_rating_links_are_one_caller(client, rates):
    rates(rating="5/h")
    links = [
        page.format(secrets.token_urlsafe(16))
        for page in ("/rate/{}/", "/rate/crowd/task/{}/", "/rate/{}/task/1/ratings/")
        for _ in range(10)
    ]
    answers = statuses(client.post(link) for link in links)
    assert answers[429] == len(links) - 5
    assert Bucket.objects.count() == 1


@pytest.mark.django_db
def test_a_raters_links_share_a_rate_however_often_they_were_signed(
    client, rates, study, monkeypatch
):
    rates(rating="3/h")
    signed_at, links = time.time(), set()
    for n in range(5):
        monkeypatch.setattr("django.core.signing.time.time", partial(add, signed_at, -100 * n))
        links.add(rating_link(study, "w1"))
    monkeypatch.undo()
    assert len(links) == 5
    assert statuses(client.get(link) for link in links) == {200: 3, 429: 2}
    assert client.get(rating_link(study, "w2")).status_code == 200


@pytest.mark.django_db
def test_many_links_of_one_study_at_one_address_share_a_rate(client, rates, study):
    rates(rating="1/h")
    links = [rating_link(study, f"w{n}") for n in range(GROUP_SHARE + 2)]
    assert statuses(client.get(link) for link in links) == {200: GROUP_SHARE, 429: 2}


@pytest.mark.django_db
def test_joining_by_get_counts(client, rates, study):
    rates(joining="3/h")
    sent = [client.get(f"/rate/join/{study.slug}/?worker=w{n}") for n in range(6)]
    assert statuses(sent) == {303: 3, 429: 3}
    assert study.participations.count() == 3
    listing = f"/rate/crowd/{pages.signing.Signer(salt=pages.LISTING_SALT).sign('1')}/"
    assert client.get(listing).status_code == 429


# -- Other ways to the same service --


def test_every_upload_of_the_api_counts_as_an_upload_of_its_account(db, rates):
    rates(upload="1/h")
    ann = person("ann")
    client = Client()
    client.force_login(ann)
    assert client.post(reverse("set-imports"), {}).status_code != 429
    assert caller(ann).upload("/sets", {}).status_code == 429


def test_every_file_of_the_api_counts_as_a_download():
    """Those of pages are checked by their answers, in tests/access."""
    forgotten = set()
    for name, pattern in named_patterns():
        operation = getattr(
            getattr(getattr(pattern.callback, "view_class", None), "get", None), "operation", None
        )
        if operation is not None and operation.sends != JSON:
            forgotten |= set() if re.search(FILES, str(pattern.pattern)) else {name}
    assert forgotten == set()


@pytest.mark.django_db
def test_a_download_by_the_api_counts_for_the_account(rates):
    rates(download="1/h")
    ann = person("ann")
    client = Client()
    client.force_login(ann)
    assert client.get("/sets/none/scores.csv").status_code == 404
    assert caller(ann).get("/sets/none/scores.csv").status_code == 429


def test_expired_tokens_count_for_the_address(db, rates):
    rates(api="2/h")
    expired = [caller(person(name)) for name in ("ann", "bob", "eve")]
    ApiToken.objects.update(expires_at=now() - timedelta(seconds=1))
    assert [one.get("/account").status_code for one in expired] == [401, 401, 429]
