"""Every operation of the API, called by people of every role."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from benchmarks.sets.models import JudgmentSet
from tests.core.rest.access_table import table
from tests.core.rest.everything import ROLES, Everything, make_everything
from tests.core.rest.people import BASE, Caller

PAGES = {"api-docs", "api-schema"}  # pages, not operations; public


def operations() -> Iterator[tuple[str, URLPattern]]:
    """Each method of each route of the API."""
    for pattern in _patterns(get_resolver().url_patterns):
        view: Any = getattr(pattern.callback, "cls", None)
        for method in ("get", "post", "put", "patch", "delete"):
            if hasattr(getattr(view, method, None), "operation"):
                yield method.upper(), pattern


def _patterns(entries: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for one in entries:
        if isinstance(one, URLResolver):
            yield from _patterns(one.url_patterns)
        elif (one.name or "").startswith("api-"):
            yield one


@pytest.fixture
def everything(db: None, tmp_path: Path, settings: Any) -> Everything:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "unlimited")
    return make_everything(tmp_path)


def test_the_access_table_has_every_operation() -> None:
    here = {(method, pattern.name) for method, pattern in operations()}
    here = {one for one in here if one[1] != "api-nothing"} | {("GET", "api-nothing")}
    assert here == table().keys()


def test_there_is_an_object_for_every_parameter(everything: Everything) -> None:
    parameters = {part for _, pattern in operations() for part in pattern.pattern.converters}
    assert parameters == everything.names.keys() - {"queued"}


def test_every_role_gets_the_status_of_the_table(everything: Everything) -> None:
    wrong = []
    patterns = {pattern.name: pattern for _, pattern in operations()}
    for (method, name), row in table().items():
        path = address(patterns[name], everything)
        for role in ROLES:
            status = ask(Caller(everything.tokens[role]), method, path)
            if status != row[role]:
                wrong.append(f"{method} {name} by {role}: {status} instead of {row[role]}")
    assert not wrong, "\n".join(wrong)


def test_a_public_set_is_read_by_everybody_and_changed_by_its_members(
    everything: Everything,
) -> None:
    JudgmentSet.objects.update(published_at="2026-01-05T00:00Z")
    for path, status in (
        ("/sets/small", 200),
        ("/sets/small/leaderboard", 200),
        ("/sets/small/judgments.jsonl", 200),
        ("/sets/small/submissions", 401),
    ):
        assert ask(Caller(), "GET", path) == status
    outsider = Caller(everything.tokens["outsider"])
    assert ask(outsider, "POST", "/sets/small/runs") == 403
    assert ask(outsider, "POST", "/sets/small/submissions") == 422


def ask(caller: Caller, method: str, path: str) -> int:
    """The status of the request; its changes are rolled back."""
    with transaction.atomic():
        send = getattr(caller, method.lower())
        response = send(path, {}) if method in ("POST", "PUT", "PATCH") else send(path)
        if response.streaming:
            b"".join(response)
        transaction.set_rollback(True)
    return int(response.status_code)


def address(pattern: URLPattern, everything: Everything) -> str:
    if pattern.name == "api-nothing":
        return "/moon"
    names = dict(everything.names)
    if pattern.name == "api-stop-run":
        names["run"] = names["queued"]
    parts = {part: names[part] for part in pattern.pattern.converters}
    return reverse(pattern.name or "", kwargs=parts).removeprefix(BASE)
