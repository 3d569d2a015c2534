"""People: Rosa owns a study, Olaf is staff with studies of his own, Sue may do all.

As browsers (`owner`, `everybody`) and as callers of the API (`owner_caller`, `editor`, ...).
"""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

from annotation.studies.models import StudyMember
from core.accounts.roles import Role
from tests.annotation import people
from tests.annotation.people import Scene
from tests.core.rest.people import Caller, caller, person
from tests.snapshots import Snapshot

FULL_SCENE = Snapshot(people.full_scene)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def rosa(db: None) -> User:
    return people.rosa()


@pytest.fixture
def scene(rosa: User) -> Scene:
    assert rosa.pk == people.ROSA, "the snapshot refers to her"
    return FULL_SCENE.restore()


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


@pytest.fixture
def owner_caller(scene: Scene) -> Caller:
    return caller(scene.study.owner)


@pytest.fixture
def editor(scene: Scene) -> Caller:
    return _member(scene, "edith", Role.EDITOR)


@pytest.fixture
def viewer(scene: Scene) -> Caller:
    return _member(scene, "vera", Role.VIEWER)


@pytest.fixture
def outsider(db: None) -> Caller:
    return caller(person("otto", is_staff=True))


def _member(scene: Scene, name: str, role: Role) -> Caller:
    user = person(name)
    StudyMember.objects.create(study=scene.study, user=user, role=role, since=now())
    return caller(user)
