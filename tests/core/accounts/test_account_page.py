"""The account page: API tokens, sessions and passwords."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from config.celery import app
from core.accounts import tokens
from core.accounts.models import ApiToken, SignIn
from tests.core.accounts.conftest import PASSWORD, client_of

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1"


def signed_in(user: User, agent: str) -> Client:
    client = Client(HTTP_USER_AGENT=agent)
    sent = {"username": user.username, "password": PASSWORD}
    assert client.post(reverse("sign-in"), sent).status_code == 302
    return client


def test_a_token_is_shown_once_and_stored_as_a_fingerprint(sven: User) -> None:
    client = client_of(sven)
    sent = {"name": "nightly", "scopes": ["sets:read", "runs:write"], "days": "30"}
    created = client.post(reverse("make-token"), sent)
    assert created.status_code == 201 and "no-store" in created["Cache-Control"]
    shown = re.search(r"concord_[\w-]{43}", created.content.decode())
    assert shown is not None
    token = ApiToken.objects.get()
    assert token.scopes == ["sets:read", "runs:write"] and token.user == sven
    assert shown[0] not in repr(ApiToken.objects.values())
    assert shown[0] not in client.get(reverse("account")).content.decode()
    assert tokens.authenticate(shown[0], at=now()) == token


def test_revoked_expired_and_inactive_tokens_are_invalid(sven: User) -> None:
    at = now()
    ends = at + timedelta(days=1)
    token, presented = tokens.make(sven, "one", ["sets:read"], expires_at=ends, at=at)
    assert tokens.authenticate(presented, at=at) == token
    assert tokens.authenticate(presented, at=ends) is None
    assert tokens.authenticate(presented[:-1] + "!", at=at) is None
    assert tokens.authenticate("", at=at) is None
    sven.is_active = False
    sven.save()
    assert tokens.authenticate(presented, at=at) is None
    sven.is_active = True
    sven.save()
    assert client_of(sven).post(reverse("revoke-token", args=[token.pk])).status_code == 302
    assert tokens.authenticate(presented, at=at) is None


def test_other_peoples_tokens_are_not_found(sven: User, rosa: User) -> None:
    ends = now() + timedelta(days=1)
    token, presented = tokens.make(sven, "nightly", ["sets:read"], expires_at=ends, at=now())
    assert client_of(rosa).post(reverse("revoke-token", args=[token.pk])).status_code == 404
    assert tokens.authenticate(presented, at=now()) == token
    assert "nightly" not in client_of(rosa).get(reverse("account")).content.decode()


def test_a_token_needs_a_name_a_valid_scope_and_an_expiry(sven: User) -> None:
    client = client_of(sven)
    for sent in (
        {"name": " ", "scopes": ["sets:read"], "days": "7"},
        {"name": "a", "days": "7"},
        {"name": "a", "scopes": ["everything"], "days": "7"},
        {"name": "a", "scopes": ["sets:read"], "days": "9999"},
    ):
        assert client.post(reverse("make-token"), sent).status_code == 422
    assert not ApiToken.objects.exists()


def test_sessions_are_named_by_their_browser_and_ended_one_by_one(sven: User) -> None:
    here, there = signed_in(sven, FIREFOX), signed_in(sven, SAFARI)
    page = here.get(reverse("account")).content.decode()
    assert "Firefox on Linux" in page and "Safari on iPhone" in page
    row = SignIn.objects.get(device="Safari on iPhone")
    assert here.post(reverse("end-session", args=[row.pk])).status_code == 302
    assert there.get(reverse("account")).status_code == 302
    assert here.get(reverse("account")).status_code == 200


def test_all_other_sessions_of_the_user_end_at_once(sven: User, rosa: User) -> None:
    here, there, other = (
        signed_in(sven, FIREFOX),
        signed_in(sven, SAFARI),
        signed_in(rosa, SAFARI),
    )
    row = SignIn.objects.get(user=rosa)
    assert here.post(reverse("end-session", args=[row.pk])).status_code == 404
    here.post(reverse("end-other-sessions"))
    statuses = [client.get(reverse("account")).status_code for client in (here, there, other)]
    assert statuses == [200, 302, 200]


def test_changing_the_password_signs_out_everywhere_else(sven: User) -> None:
    here, there = signed_in(sven, FIREFOX), signed_in(sven, SAFARI)
    new = "quite another 8 words"
    sent = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert here.post(reverse("change-password"), sent).status_code == 302
    assert here.get(reverse("account")).status_code == 200
    assert there.get(reverse("account")).status_code == 302
    assert SignIn.objects.filter(user=sven).count() == 1


def test_a_new_password_comes_by_a_link_that_works_once(
    sven: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.conf, "task_always_eager", True)
    Client().post(reverse("password_reset"), {"email": sven.email})
    (letter,) = mail.outbox
    link = re.search(r"http://testserver(/new-password/\S+)", letter.body)
    assert link is not None
    visitor = Client()
    form = visitor.get(link[1])
    new = "quite another 8 words"
    done = visitor.post(form["Location"], {"new_password1": new, "new_password2": new})
    assert done.status_code == 302
    assert Client().login(username="sven", password=new)
    assert "This link is not valid" in Client().get(link[1], follow=True).content.decode()


def test_the_answer_does_not_reveal_whether_an_address_has_an_account(sven: User) -> None:
    answers = [
        Client().post(reverse("password_reset"), {"email": email}, follow=True).content
        for email in (sven.email, "nobody@example.org")
    ]
    assert answers[0] == answers[1]
    assert not mail.outbox, "sending takes time, so a task does it"


def test_no_network_address_is_stored(sven: User) -> None:
    signed_in(sven, FIREFOX)
    stored = repr(list(SignIn.objects.values()))
    assert "Firefox on Linux" in stored and "127.0.0.1" not in stored


def test_ended_sessions_are_deleted(sven: User) -> None:
    signed_in(sven, FIREFOX).post(reverse("sign-out"))
    signed_in(sven, SAFARI)
    assert [one.device for one in SignIn.objects.filter(user=sven)] == ["Safari on iPhone"]
