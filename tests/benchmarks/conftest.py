"""A small set with everything on it, and people: in browsers, and as callers of the API."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

from benchmarks.sets.models import SetMember
from core.accounts.roles import Role
from tests.benchmarks.factories import add_member
from tests.benchmarks.scenes import Scene, make_scene
from tests.core.rest.people import Caller, caller, person

OWNED = ("small", "ranked", "demo")


@pytest.fixture
def scene(db: None) -> Scene:
    return make_scene()


@pytest.fixture
def visitor() -> Client:
    return Client()


@pytest.fixture
def member(db: None) -> Client:
    """Signed in, but not a researcher."""
    return _signed_in(User.objects.create_user("vera"))


@pytest.fixture
def staff(db: None) -> Client:
    """A researcher who owns the sets of these tests."""
    sam = User.objects.create_user("sam", is_staff=True)
    for name in OWNED:
        add_member(name, sam)
    return _signed_in(sam)


@pytest.fixture
def people(visitor: Client, member: Client, staff: Client) -> dict[str, Client]:
    return {"visitor": visitor, "member": member, "staff": staff}


@pytest.fixture
def unlisted(db: None) -> Scene:
    """The set `small`; nobody but its members knows of it."""
    made = make_scene()
    made.judgment_set.published_at = None
    type(made.judgment_set).objects.filter(pk=made.judgment_set.pk).update(published_at=None)
    return made


@pytest.fixture
def owner_user(unlisted: Scene) -> User:
    user = person("olive", is_staff=True)
    SetMember.objects.create(set_name="small", user=user, role=Role.OWNER, since=now())
    return user


@pytest.fixture
def owner(owner_user: User) -> Caller:
    return caller(owner_user)


@pytest.fixture
def editor(unlisted: Scene) -> Caller:
    user = person("edith")
    SetMember.objects.create(set_name="small", user=user, role=Role.EDITOR, since=now())
    return caller(user)


@pytest.fixture
def viewer(unlisted: Scene) -> Caller:
    user = person("vera")
    SetMember.objects.create(set_name="small", user=user, role=Role.VIEWER, since=now())
    return caller(user)


@pytest.fixture
def outsider(db: None) -> Caller:
    """A researcher who is no member."""
    return caller(person("otto", is_staff=True))


@pytest.fixture
def anyone(db: None) -> Caller:
    return Caller()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Primary keys of the runs whose work was sent; nothing reaches a broker."""
    numbers: list[int] = []
    monkeypatch.setattr(
        "benchmarks.runs.tasks.enqueue", lambda asked: numbers.extend(run.pk for run in asked)
    )
    return numbers


@pytest.fixture
def no_ping(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Say whether a worker is alive instead of asking the broker."""

    def answer(alive: bool) -> None:
        monkeypatch.setattr("benchmarks.runs.views.has_worker_answered", lambda: alive)

    answer(True)
    return answer


def _signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
