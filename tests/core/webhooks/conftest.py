"""People, their webhooks, and a receiver with configurable answers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User

from core.webhooks.models import Delivery, Webhook
from core.webhooks.services import subscribing
from tests.endpoints import Endpoint

AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
TAKEN: Callable[[Any], Any] = lambda payload: (204, {}, b"")  # noqa: E731


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann", "ann@example.org", is_staff=True)


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def receiver(endpoint: Endpoint, settings: Any) -> Endpoint:
    """A receiver that accepts every message; private networks are allowed."""
    settings.OUTGOING_ALLOWED_HOSTS = [endpoint.host]
    settings.WEBHOOK_TIMEOUT_SECONDS = 2.0
    endpoint.answers = [TAKEN]
    return endpoint


@pytest.fixture
def subscribed(receiver: Endpoint, ann: User) -> tuple[Webhook, str]:
    """Ann's webhook for all her objects, and its secret."""
    heard = ["run.done", "run.failed", "study.frozen"]
    return subscribing.subscribe(ann, "account", "", receiver.url, heard, at=AT)


@pytest.fixture
def webhook(subscribed: tuple[Webhook, str]) -> Webhook:
    return subscribed[0]


@pytest.fixture
def sent(webhook: Webhook) -> Delivery:
    """A waiting message."""
    return subscribing.ping(webhook, at=AT)
