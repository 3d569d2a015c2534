"""Administrators' pages of accounts."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from core.accounts import tokens
from core.accounts.services import sessions
from core.audit.models import AuditEvent
from tests.core.accounts.conftest import PASSWORD, client_of
from tests.html import readable

LIST = "admin:auth_user_changelist"
LINK = re.compile(r"http://testserver(/new-password/[^<\s]+)")
RESEARCHER = {"is_active": "on", "is_staff": "on"}
SUBMITTER = {"is_active": "on"}


def change(client: Client, user: User, fields: dict[str, str]) -> int:
    """The status of the answer to the form with these boxes ticked."""
    url = reverse("admin:auth_user_change", args=[user.pk])
    return client.post(url, fields).status_code


def run(client: Client, user: User, action: str) -> str:
    """The text of the page after an action on the account."""
    form = {"action": action, "_selected_action": user.pk}
    return readable(client.post(reverse(LIST), form, follow=True))


def names(client: Client, **query: Any) -> set[str]:
    response = client.get(reverse(LIST), query)
    assert response.status_code == 200
    return {user.username for user in response.context["cl"].result_list}


def actions() -> list[str]:
    return list(AuditEvent.objects.order_by("pk").values_list("action", flat=True))


def signed_in(user: User) -> Client:
    client = Client()
    assert client.login(username=user.username, password=PASSWORD)
    client.get(reverse("account"))
    return client


@pytest.fixture
def client_of_ada(ada: User) -> Client:
    return signed_in(ada)


def test_accounts_are_found_by_part_of_the_name(
    client_of_ada: Client, rosa: User, sven: User
) -> None:
    assert names(client_of_ada) == {"ada", "rosa", "sven"}
    assert names(client_of_ada, q="OS") == {"rosa"}
    assert names(client_of_ada, is_staff__exact=0, is_superuser__exact=0) == {"sven"}
    User.objects.filter(username="sven").update(is_active=False)
    assert names(client_of_ada, is_active__exact=0) == {"sven"}


def test_only_a_whole_e_mail_address_finds_its_account_and_none_is_shown(
    client_of_ada: Client, rosa: User
) -> None:
    assert names(client_of_ada, q="Rosa@example.org") == {"rosa"}
    assert names(client_of_ada, q="example") == set()
    page = client_of_ada.get(reverse("admin:auth_user_change", args=[rosa.pk]))
    assert "example.org" not in readable(page)


def test_a_role_is_changed_and_recorded(client_of_ada: Client, sven: User) -> None:
    assert change(client_of_ada, sven, RESEARCHER) == 302
    sven.refresh_from_db()
    assert sven.is_staff and not sven.is_superuser
    event = AuditEvent.objects.get(action="account.changed")
    assert (event.actor_name, event.target_name) == ("ada", "sven")
    assert (event.before, event.after) == ({"is_staff": False}, {"is_staff": True})
    change(client_of_ada, sven, SUBMITTER)
    sven.refresh_from_db()
    assert not sven.is_staff


def test_administrators_change_others_but_not_themselves(
    client_of_ada: Client, ada: User, sven: User
) -> None:
    assert change(client_of_ada, ada, {}) == 403
    ada.refresh_from_db()
    assert ada.is_superuser and ada.is_active
    assert change(client_of_ada, sven, {**SUBMITTER, "is_superuser": "on"}) == 302
    sven.refresh_from_db()
    assert sven.is_superuser


def test_an_inactive_account_is_signed_out_and_its_tokens_stop(
    client_of_ada: Client, sven: User
) -> None:
    client = signed_in(sven)
    _, token = tokens.make(
        sven, "program", ["sets:read"], expires_at=now() + timedelta(days=1), at=now()
    )
    change(client_of_ada, sven, {})
    assert client.get(reverse("account")).status_code == 302
    assert not Client().login(username="sven", password=PASSWORD)
    assert tokens.authenticate(token, at=now()) is None
    assert sessions.sign_ins(sven, at=now()) == []
    change(client_of_ada, sven, SUBMITTER)
    assert Client().login(username="sven", password=PASSWORD)
    assert tokens.authenticate(token, at=now()) is not None
    assert actions()[-2:] == ["account.changed"] * 2


@pytest.mark.parametrize("action", ["send_password_links", "show_password_links"])
def test_no_administrator_is_taken_over(client_of_ada: Client, action: str) -> None:
    eve = User.objects.create_superuser("eve", "eve@example.org", PASSWORD)
    page = run(client_of_ada, eve, action)
    assert "eve is an administrator" in page and "/new-password/" not in page


def test_all_sessions_of_an_account_are_ended(client_of_ada: Client, ada: User, rosa: User) -> None:
    browsers = [signed_in(rosa), signed_in(rosa)]
    assert "Sessions of rosa ended: 2." in run(client_of_ada, rosa, "end_sessions")
    assert all(browser.get(reverse("account")).status_code == 302 for browser in browsers)
    other = signed_in(ada)
    assert "Sessions of ada ended: 1." in run(client_of_ada, ada, "end_sessions")
    assert other.get(reverse("account")).status_code == 302
    assert client_of_ada.get(reverse(LIST)).status_code == 200, "the present session stays"


def test_a_page_does_not_show_the_mail_servers_error(
    client_of_ada: Client, rosa: User, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    invited = client_of_ada.post(
        reverse("invitations"), {"site_role": "submitter", "email": "new@example.org"}, follow=True
    )
    for page in (readable(invited), run(client_of_ada, rosa, "send_password_links")):
        assert "could not be sent." in page and "Errno" not in page


def test_a_password_link_is_sent_and_works_once(
    client_of_ada: Client, rosa: User, mailoutbox: list[mail.EmailMessage]
) -> None:
    page = run(client_of_ada, rosa, "send_password_links")
    assert "The link was sent to the e-mail address of rosa." in page
    assert LINK.search(page) is None, "the administrator does not see it"
    (message,) = mailoutbox
    assert message.to == ["rosa@example.org"]
    found = LINK.search(message.body)
    assert found
    choose_password(found[1], "another 8 words here")
    assert Client().login(username="rosa", password="another 8 words here")
    assert "This link is not valid" in readable(Client().get(found[1], follow=True))


def test_a_set_up_link_is_shown_for_an_account_without_password(client_of_ada: Client) -> None:
    newcomer = User.objects.create_user("nina")
    page = run(client_of_ada, newcomer, "show_password_links")
    found = LINK.search(page)
    assert found
    choose_password(found[1], "a first 9 words")
    assert Client().login(username="nina", password="a first 9 words")
    event = AuditEvent.objects.get(action="account.password link made")
    assert event.after == {"sent by e-mail": False}
    assert "no e-mail address" in run(client_of_ada, newcomer, "send_password_links")


def test_an_inactive_account_gets_no_link(client_of_ada: Client, rosa: User) -> None:
    change(client_of_ada, rosa, {})
    page = run(client_of_ada, rosa, "show_password_links")
    assert "rosa is inactive" in page and LINK.search(page) is None


def test_changes_need_an_administrator_and_a_csrf_token(ada: User, rosa: User, sven: User) -> None:
    addresses = (reverse("admin:auth_user_change", args=[sven.pk]), reverse(LIST))
    for client in (Client(), client_of(sven), client_of(rosa)):
        for url in addresses:
            answer = client.post(url, {"action": "end_sessions", "_selected_action": sven.pk})
            assert answer.status_code == 302 and "/admin/login/" in answer["Location"]
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    assert strict.post(addresses[0], {}).status_code == 403
    sven.refresh_from_db()
    assert sven.is_active and not sven.is_staff
    assert not any(action.startswith("account.") for action in actions())


def choose_password(path: str, password: str) -> None:
    client = Client()
    form = client.get(path, follow=True).redirect_chain[-1][0]
    answer = client.post(form, {"new_password1": password, "new_password2": password})
    assert answer.status_code == 302


def test_saving_without_a_change_records_nothing(client_of_ada: Client, sven: User) -> None:
    assert change(client_of_ada, sven, SUBMITTER) == 302
    assert "account.changed" not in actions()
