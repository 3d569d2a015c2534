"""A server of the chat protocol, a small set, and its editor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from benchmarks.sets.models import JudgmentSet
from core.accounts.roles import Role
from tests.benchmarks.factories import add_member, make_set
from tests.benchmarks.judging.judges import allowed_server
from tests.concord.judges.chat.chat_server import ChatServer


@pytest.fixture
def server(settings, monkeypatch) -> Iterator[ChatServer]:
    yield from allowed_server(settings, monkeypatch)


@pytest.fixture
def small(transactional_db, tmp_path) -> JudgmentSet:
    """12 candidates; threads of the asker have connections of their own."""
    return make_set(tmp_path)


@pytest.fixture
def ed(small) -> User:
    user = User.objects.create_user("ed")
    add_member("small", user, Role.EDITOR)
    return user
