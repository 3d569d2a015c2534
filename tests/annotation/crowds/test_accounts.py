"""Credentials that an administrator enters: sealed, tested, and used in place of those of the
environment."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.crowds.models import CrowdAccount, Publication
from annotation.crowds.services import accounts
from core.audit.models import AuditEvent
from mturk_sandbox import Sandbox
from tests.annotation.crowds import scenes
from tests.annotation.crowds.fake_prolific import TOKEN, FakeProlific
from tests.html import readable

pytestmark = pytest.mark.django_db

KEY, SECRET = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (KEY, SECRET, "PROLIFIC_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def enter(client: Client, provider: str, service: str, **credentials: str) -> str:
    url = reverse("crowd-account-enter", args=[provider])
    page: str = readable(client.post(url, {"service": service, **credentials}, follow=True))
    return page


def test_a_study_is_published_by_credentials_that_were_entered(
    admin: Client, sandbox: Sandbox, no_environment: None
) -> None:
    study = scenes.make_study(1)
    page = enter(admin, "mturk", sandbox.url, **{KEY: "AKIALAB", SECRET: "hush-hush"})
    assert "The service accepts the credentials. The balance is $" in page
    assert "hush-hush" not in page and "AKIALAB" not in page
    account = CrowdAccount.objects.get()
    assert "hush" not in account.sealed and account.tested_at and not account.problem
    events = AuditEvent.objects.filter(action__startswith="crowd_account").order_by("pk")
    assert [one.action for one in events] == ["crowd_account.entered", "crowd_account.tested"]
    assert "hush" not in str(list(events.values()))
    draft = scenes.drafted(study, sandbox.url)
    crowd = reverse("study-crowd-draft", args=[study.slug, "mturk"])
    offer = {"environment": "other", "endpoint": sandbox.url, "stage": "full"}
    assert "OUTGOING_ALLOWED_HOSTS does not" not in readable(admin.post(crowd, offer))
    publication = scenes.confirmed(draft)
    scenes.send(publication)
    assert Publication.objects.get().listings.exclude(provider_id="").exists()


def test_without_credentials_nothing_is_published(
    admin: Client, sandbox: Sandbox, no_environment: None
) -> None:
    study = scenes.make_study(1)
    draft = scenes.drafted(study, sandbox.url)
    publish = reverse("study-crowd-order", args=[study.slug, draft.pk])
    page = readable(admin.post(publish, {"confirmed": "0.10"}, follow=True))
    assert "Nothing was published. There are no AWS credentials." in page
    assert Publication.objects.get().status == Publication.Status.DRAFT


def test_entered_credentials_win_and_removing_them_leaves_those_of_the_environment(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeProlific() as service:
        monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
        page = enter(admin, "prolific", service.url, PROLIFIC_TOKEN="another")
        assert "do not work. Prolific rejects the token" in page
        account = CrowdAccount.objects.get()
        assert "rejects the token" in account.problem
        page = readable(admin.post(reverse("crowd-account-remove", args=[account.pk]), follow=True))
        assert "The credentials were removed." in page
        assert accounts.provider_in("prolific", service.url).balance() is not None
        page = enter(admin, "prolific", service.url, PROLIFIC_TOKEN=TOKEN)
        assert "The service accepts the credentials." in page


def test_credentials_go_to_their_service_only(admin: Client, no_environment: None) -> None:
    owner = User.objects.get()
    at: Any = owner.date_joined
    accounts.enter("mturk", "http://127.0.0.1:8008/", {KEY: "k", SECRET: "s"}, by=owner, at=at)
    assert not accounts.provider_in("mturk", "http://127.0.0.1:8008").missing_credentials()
    assert accounts.provider_in("mturk", "sandbox").missing_credentials()
    assert accounts.allowed_hosts() == {"127.0.0.1:8008"}
