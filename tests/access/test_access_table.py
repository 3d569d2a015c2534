"""Every address of the site, asked by every kind of person.

A route that is missing from the table fails the test; so does a line for a route that is gone.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse
from django.utils.timezone import now

from annotation.setup.services import publishing as study_publishing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import publishing as set_publishing
from core.security.limits.rules import installed_rules
from tests.access import pages
from tests.access.rules import PEOPLE, Row
from tests.access.scene import Scene, make_everything

ADMIN = "admin:"


def routes() -> dict[str, set[str]]:
    """By its name, with its namespace, the parts of each route's address."""
    return dict(_walk(get_resolver(), "", set()))


def _walk(
    resolver: URLResolver, namespace: str, before: set[str]
) -> Iterator[tuple[str, set[str]]]:
    for one in resolver.url_patterns:
        parts = before | set(one.pattern.converters) | set(one.pattern.regex.groupindex)
        if isinstance(one, URLPattern):
            yield f"{namespace}{one.name}", parts
        else:
            inner = f"{namespace}{one.namespace}:" if one.namespace else namespace
            yield from _walk(one, inner, parts)


@pytest.fixture
def scene(db: None, tmp_path: Path, settings: Any) -> Iterator[Scene]:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "unlimited")
    made = make_everything(tmp_path)
    logging.disable(logging.CRITICAL)  # a refusal is not worth a traceback here
    yield made
    logging.disable(logging.NOTSET)


# Small texts and JSON that pages and monitors ask for often.
SMALL = {"site-colours", "healthz", "readyz", "metrics"}


def is_unlimited(answer: HttpResponse) -> bool:
    """Whether an answer is a file or picture, and the request counts under no rate limit."""
    request, kind = answer.wsgi_request, answer.headers.get("Content-Type", "")
    if request.resolver_match is None:  # a middleware answered
        return False
    is_page = kind.startswith("text/html") and "Content-Disposition" not in answer.headers
    if answer.status_code != 200 or is_page or request.resolver_match.view_name in SMALL:
        return False
    return not installed_rules().matching(request)


def differences(scene: Scene, expected: dict[str, Row]) -> list[str]:
    """Where somebody gets something else than the table says; what a POST changes is undone."""
    wrong, known = [], routes()
    for name, row in expected.items():
        url = reverse(name, kwargs=scene.kwargs(name, known[name]))
        for method, statuses in row.items():
            # A method that a page does not take is refused before anybody is looked at.
            asked = PEOPLE if set(statuses.values()) != {405} else (PEOPLE[0], PEOPLE[-1])
            for person in asked:
                status = statuses[person]
                with transaction.atomic():
                    answer = getattr(scene.client(person), method)(url)
                    transaction.set_rollback(method == "post")
                if is_unlimited(answer):
                    wrong.append(f"{name}, {method}: a file without a rate limit")
                if answer.status_code != status:
                    wrong.append(
                        f"{name}, {method} by {person}: {int(answer.status_code)} "
                        f"instead of {status}"
                    )
    return wrong


def test_no_route_is_missing_from_the_table() -> None:
    """Those of the API have a table of their own, beside its tests."""
    here = {name for name in routes() if not name.startswith((ADMIN, "api-"))}
    assert here == pages.PAGES.keys() | pages.PUBLIC_SETS.keys()


def test_each_person_gets_what_the_table_says(scene: Scene) -> None:
    """One scene for all: a private set is its members' alone, and a public one is read by everybody
    and changed by its members; of a published study, everybody reads its public page."""
    JudgmentSet.objects.update(published_at=None)
    wrong = differences(scene, pages.PAGES | pages.PRIVATE_SETS)
    set_publishing.publish(JudgmentSet.objects.named("small"), at=now())
    study_publishing.publish(scene.study.study, at=now())
    wrong += differences(scene, pages.PUBLIC_SETS | pages.PUBLISHED_STUDY)
    assert wrong == []


def test_djangos_admin_is_for_administrators_alone(scene: Scene) -> None:
    """Its own pages answer everybody else with its sign-in page."""
    index = reverse("admin:index")
    arguments = {"app_label": "auth", "url": "nothing"}
    for name, parts in routes().items():
        if not name.startswith(ADMIN) or name in ("admin:login", "admin:logout"):
            continue
        kwargs = {part: arguments.get(part, 1) for part in parts}
        try:
            url = reverse(name, kwargs=kwargs)
        except NoReverseMatch:
            continue
        for person in PEOPLE[:-1]:
            answer = scene.client(person).get(url)
            assert answer.status_code == 302, (name, person)
            assert answer.headers["Location"].startswith(index + "login/"), (name, person)
    assert scene.client("administrator").get(index).status_code == 200
