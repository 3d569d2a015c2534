"""People: Ada is an administrator, Rosa a researcher, Sven a submitter."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

PASSWORD = "long enough 7 words"


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_superuser("ada", password=PASSWORD)


@pytest.fixture
def rosa(db: None) -> User:
    return User.objects.create_user("rosa", "rosa@example.org", PASSWORD, is_staff=True)


@pytest.fixture
def sven(db: None) -> User:
    return User.objects.create_user("sven", "sven@example.org", PASSWORD)


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
