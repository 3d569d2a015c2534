"""People: Rosa owns a study, Olaf is staff with studies of his own, Sue may do all."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.annotation.studies import people
from tests.annotation.studies.people import Scene


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def rosa(db: None) -> User:
    return people.researcher()


@pytest.fixture
def scene(rosa: User) -> Scene:
    return people.full_scene(rosa)


@pytest.fixture
def owner(rosa: User) -> Client:
    return signed_in(rosa)


@pytest.fixture
def everybody(owner: Client) -> dict[str, Client]:
    return {
        "visitor": Client(),
        "member": signed_in(people.researcher("vera", staff=False)),
        "outsider": signed_in(people.researcher("olaf")),
        "owner": owner,
        "superuser": signed_in(people.researcher("sue", superuser=True)),
    }
