"""A set with everything on it, and callers of every role on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now

from benchmarks.sets.models import SetMember
from core.accounts.roles import Role
from tests.benchmarks.pages.scenes import Scene, make_scene
from tests.core.rest.people import Caller, caller, person


@pytest.fixture
def scene(db: None, tmp_path: Path) -> Scene:
    """The set `small`; nobody but its members knows of it."""
    made = make_scene(tmp_path)
    made.judgment_set.published_at = None
    type(made.judgment_set).objects.filter(pk=made.judgment_set.pk).update(published_at=None)
    return made


@pytest.fixture
def owner_user(scene: Scene) -> User:
    user = person("olive", is_staff=True)
    SetMember.objects.create(set_name="small", user=user, role=Role.OWNER, since=now())
    return user


@pytest.fixture
def owner(owner_user: User) -> Caller:
    return caller(owner_user)


@pytest.fixture
def editor(scene: Scene) -> Caller:
    user = person("edith")
    SetMember.objects.create(set_name="small", user=user, role=Role.EDITOR, since=now())
    return caller(user)


@pytest.fixture
def viewer(scene: Scene) -> Caller:
    user = person("vera")
    SetMember.objects.create(set_name="small", user=user, role=Role.VIEWER, since=now())
    return caller(user)


@pytest.fixture
def outsider(db: None) -> Caller:
    """A researcher who is no member."""
    return caller(person("otto", is_staff=True))


@pytest.fixture
def visitor(db: None) -> Caller:
    return Caller()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Primary keys of the runs whose work was sent; nothing reaches a broker."""
    found: list[int] = []
    monkeypatch.setattr(
        "benchmarks.runs.tasks.enqueue", lambda asked: found.extend(run.pk for run in asked)
    )
    return found
