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

LIST = "administration-accounts"
LINK = re.compile(r"http://testserver(/new-password/[^<\s]+)")


def change(client: Client, user: User, do: str) -> str:
    """The text of the page after the change."""
    url = reverse("administration-change-account", args=[user.pk])
    return readable(client.post(url, {"do": do}, follow=True))


def names(client: Client, **query: Any) -> set[str]:
    response = client.get(reverse(LIST), query)
    assert response.status_code == 200
    return {row["account"].username for row in response.context["rows"]}


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
    assert names(client_of_ada, role="submitter") == {"sven"}
    assert names(client_of_ada, role="researcher") == {"rosa"}
    assert names(client_of_ada, role="administrator") == {"ada"}
    User.objects.filter(username="sven").update(is_active=False)
    assert names(client_of_ada, state="inactive") == {"sven"}
    assert names(client_of_ada, state="active") == {"ada", "rosa"}
    assert client_of_ada.get(reverse(LIST), {"role": "king"}).status_code == 400


def test_only_a_whole_e_mail_address_finds_its_account_and_none_is_shown(
    client_of_ada: Client, rosa: User
) -> None:
    assert names(client_of_ada, q="Rosa@example.org") == {"rosa"}
    assert names(client_of_ada, q="example") == set()
    page = readable(client_of_ada.get(reverse("administration-account", args=[rosa.pk])))
    assert "on file" in page and "example.org" not in page


def test_a_role_is_changed_and_recorded(client_of_ada: Client, sven: User) -> None:
    assert "sven is now a researcher." in change(client_of_ada, sven, "researcher")
    sven.refresh_from_db()
    assert sven.is_staff and not sven.is_superuser
    event = AuditEvent.objects.get(action="account.role changed")
    assert (event.actor_name, event.target_name) == ("ada", "sven")
    assert (event.before, event.after) == ({"role": "submitter"}, {"role": "researcher"})
    assert "sven is already a researcher." in change(client_of_ada, sven, "researcher")
    assert actions().count("account.role changed") == 1
    change(client_of_ada, sven, "submitter")
    sven.refresh_from_db()
    assert not sven.is_staff


def test_nobody_becomes_or_ceases_to_be_administrator_here(
    client_of_ada: Client, ada: User, sven: User
) -> None:
    assert "This action is not possible." in change(client_of_ada, sven, "administrator")
    assert "not changed here" in change(client_of_ada, ada, "submitter")
    ada.refresh_from_db()
    sven.refresh_from_db()
    assert ada.is_superuser and not sven.is_superuser


def test_an_inactive_account_is_signed_out_and_its_tokens_stop(
    client_of_ada: Client, sven: User
) -> None:
    client = signed_in(sven)
    _, token = tokens.make(
        sven, "program", ["sets:read"], expires_at=now() + timedelta(days=1), at=now()
    )
    assert "sven is now inactive." in change(client_of_ada, sven, "deactivate")
    assert client.get(reverse("account")).status_code == 302
    assert not Client().login(username="sven", password=PASSWORD)
    assert tokens.authenticate(token, at=now()) is None
    assert sessions.sign_ins(sven, at=now()) == []
    assert "sven is now active." in change(client_of_ada, sven, "reactivate")
    assert Client().login(username="sven", password=PASSWORD)
    assert tokens.authenticate(token, at=now()) is not None
    assert actions()[-2:] == ["account.deactivated", "account.reactivated"]


@pytest.mark.parametrize("action", ["deactivate", "show-link", "send-link"])
def test_no_administrator_is_locked_out_or_taken_over(client_of_ada: Client, action: str) -> None:
    eve = User.objects.create_superuser("eve", "eve@example.org", PASSWORD)
    page = change(client_of_ada, eve, action)
    assert "An administrator is not changed here" in page and "/password/" not in page
    eve.refresh_from_db()
    assert eve.is_active


def test_all_sessions_of_an_account_are_ended(client_of_ada: Client, ada: User, rosa: User) -> None:
    browsers = [signed_in(rosa), signed_in(rosa)]
    assert "Sessions of rosa ended: 2." in change(client_of_ada, rosa, "end-sessions")
    assert all(browser.get(reverse("account")).status_code == 302 for browser in browsers)
    other = signed_in(ada)
    assert "Sessions of ada ended: 1." in change(client_of_ada, ada, "end-sessions")
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
    for page in (readable(invited), change(client_of_ada, rosa, "send-link")):
        assert "could not be sent." in page and "Errno" not in page


def test_a_password_link_is_sent_and_works_once(
    client_of_ada: Client, rosa: User, mailoutbox: list[mail.EmailMessage]
) -> None:
    page = change(client_of_ada, rosa, "send-link")
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
    page = change(client_of_ada, newcomer, "show-link")
    found = LINK.search(page)
    assert found and "not set yet" in page
    choose_password(found[1], "a first 9 words")
    assert Client().login(username="nina", password="a first 9 words")
    event = AuditEvent.objects.get(action="account.password link made")
    assert event.after == {"sent by e-mail": False}
    assert "no e-mail address" in change(client_of_ada, newcomer, "send-link")


def test_an_inactive_account_gets_no_link(client_of_ada: Client, rosa: User) -> None:
    change(client_of_ada, rosa, "deactivate")
    page = change(client_of_ada, rosa, "show-link")
    assert "Reactivate the account first." in page and LINK.search(page) is None


def test_changes_need_an_administrator_and_a_csrf_token(ada: User, rosa: User, sven: User) -> None:
    url = reverse("administration-change-account", args=[sven.pk])
    for client, status in ((Client(), 302), (client_of(sven), 403), (client_of(rosa), 403)):
        for do in ("researcher", "deactivate", "reactivate", "end-sessions", "show-link"):
            assert client.post(url, {"do": do}).status_code == status
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    assert strict.post(url, {"do": "deactivate"}).status_code == 403
    sven.refresh_from_db()
    assert sven.is_active and not sven.is_staff
    assert not any(action.startswith("account.") for action in actions())


def choose_password(path: str, password: str) -> None:
    client = Client()
    form = client.get(path, follow=True).redirect_chain[-1][0]
    answer = client.post(form, {"new_password1": password, "new_password2": password})
    assert answer.status_code == 302
