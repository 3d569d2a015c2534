"""People, and a small set with everything on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.benchmarks.factories import add_member
from tests.benchmarks.pages.scenes import Scene, make_scene

OWNED = ("small", "ranked", "demo")


@pytest.fixture
def scene(db: None, tmp_path: Path) -> Scene:
    return make_scene(tmp_path)


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
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Primary keys of the runs whose work was sent; nothing reaches a broker."""
    found: list[int] = []
    monkeypatch.setattr(
        "benchmarks.runs.tasks.enqueue", lambda asked: found.extend(run.pk for run in asked)
    )
    return found


@pytest.fixture
def no_ping(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Say whether a worker is alive instead of asking the broker."""

    def answer(alive: bool) -> None:
        monkeypatch.setattr("benchmarks.runs.views.is_worker_alive", lambda timeout: alive)

    answer(True)
    return answer


def _signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
