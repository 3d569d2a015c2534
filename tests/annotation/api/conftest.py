"""A study with everything in it, and callers of every role on it."""

from __future__ import annotations

import pytest
from django.utils.timezone import now

from annotation.studies.models import StudyMember
from core.accounts.roles import Role
from tests.annotation.studies import people
from tests.annotation.studies.people import Scene
from tests.core.rest.people import Caller, caller, person


@pytest.fixture
def scene(db: None) -> Scene:
    return people.full_scene(people.researcher("rosa"))


@pytest.fixture
def owner(scene: Scene) -> Caller:
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
