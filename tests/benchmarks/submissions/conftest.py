"""People, and a set with a hidden split.

Ann submits, Bob is another account, Sam owns the sets, Sue administers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchmarks.sets.models import JudgmentSet
from tests.benchmarks.factories import add_member, make_set, write_lines


@pytest.fixture
def small(db: None, tmp_path: Path) -> JudgmentSet:
    """12 candidates and 4 minimal pairs."""
    return make_set(tmp_path, "small", pairs=4)


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def sam(db: None) -> User:
    user = User.objects.create_user("sam", is_staff=True)
    for name in ("small", "masked"):
        add_member(name, user)
    return user


@pytest.fixture
def sue(db: None) -> User:
    return User.objects.create_user("sue", is_staff=True, is_superuser=True)


@pytest.fixture
def people(ann: User, bob: User, sam: User, sue: User) -> dict[str, Client]:
    clients = {"visitor": Client()}
    for user in (ann, bob, sam, sue):
        clients[user.username] = Client()
        clients[user.username].force_login(user)
    return clients


def score_lines(judgment_set: JudgmentSet, *, pairs: bool = False) -> list[dict[str, Any]]:
    """A distinct score for each candidate, and for each pair's members, the better one higher."""
    rows = judgment_set.candidates.order_by("position").values_list("position", "key")
    lines: list[dict[str, Any]] = [{"id": key, "score": at / 7} for at, key in rows]
    if pairs:
        keys = judgment_set.pairs.order_by("position").values_list("key", flat=True)
        lines += [{"id": key, "score1": 2 + at, "score2": 1} for at, key in enumerate(keys)]
    return lines


@pytest.fixture
def scores_file(tmp_path: Path) -> Callable[..., Path]:
    def written(lines: list[dict[str, Any]], name: str = "scores.jsonl") -> Path:
        return write_lines(tmp_path / name, lines)

    return written
