"""Polled fragments: an ETag without the forms' tokens, 304 while nothing changes, an end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.runs.models import MetricRun, RunChunk
from benchmarks.runs.services import runs
from tests.benchmarks.factories import make_set, request
from tests.benchmarks.scenes import Scene

POLL = {"HX-Request": "true"}


@pytest.fixture
def address(scene: Scene, no_ping: object) -> str:
    return reverse("metric-runs", args=[scene.ref])


def poll(client: Client, address: str, etag: str = "") -> HttpResponse:
    return client.get(address, headers=POLL | ({"If-None-Match": etag} if etag else {}))


def progress(run: MetricRun) -> None:
    """A worker finishes one of two parts of the run."""
    MetricRun.objects.filter(pk=run.pk).update(status=MetricRun.Status.RUNNING)
    run.chunks.all().delete()
    for index, status in enumerate((RunChunk.Status.DONE, RunChunk.Status.QUEUED)):
        RunChunk.objects.create(
            run=run, index=index, status=status, sent_at=now(), n_items=1, positions=b"", scores=b""
        )


def test_an_unchanged_fragment_is_304_without_a_body(
    scene: Scene, staff: Client, address: str
) -> None:
    first = poll(staff, address)
    assert b"csrfmiddlewaretoken" in first.content
    assert poll(staff, address).content != first.content, "the tokens of the forms differ"
    again = poll(staff, address, first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == first["ETag"]
    assert again["Cache-Control"] == "private, no-cache"
    assert "HX-Request" in again["Vary"]


def test_the_page_holds_the_etag_so_that_the_first_poll_is_304(
    scene: Scene, staff: Client, address: str
) -> None:
    etag = poll(staff, address)["ETag"]
    page = staff.get(address)
    assert "ETag" not in page and "Cache-Control" not in page
    inside = etag.replace('"', "\\&quot;")
    assert f'hx-headers="{{&quot;If-None-Match&quot;: &quot;{inside}&quot;}}"' in page.text
    assert staff.get(address, headers={"If-None-Match": etag}).status_code == 200


def test_a_change_is_sent_with_another_etag(scene: Scene, staff: Client, address: str) -> None:
    etag = poll(staff, address)["ETag"]
    progress(scene.queued)
    changed = poll(staff, address, etag)
    assert changed.status_code == 200 and changed["ETag"] != etag
    assert 'value="50"' in changed.text and 'hx-trigger="every 2s"' in changed.text


def test_the_last_fragment_ends_the_polling(scene: Scene, staff: Client, address: str) -> None:
    etag = poll(staff, address)["ETag"]
    runs.fail_run(scene.queued, "It broke.", at=now())
    ended = poll(staff, address, etag)
    assert ended.status_code == 200 and "It broke." in ended.text
    assert not any(name in ended.text for name in ("hx-get", "hx-trigger", "hx-headers"))
    assert "ETag" not in ended


def test_what_another_person_may_see_has_another_etag(
    scene: Scene, staff: Client, visitor: Client, address: str
) -> None:
    theirs = poll(staff, address)["ETag"]
    assert poll(visitor, address, theirs).status_code == 200


def test_who_may_not_see_the_set_learns_nothing_from_an_etag(
    staff: Client, visitor: Client, no_ping: object, tmp_path: Path
) -> None:
    private = make_set(tmp_path, "demo", public=False)
    request(private, "bleu-1")
    address = reverse("metric-runs", args=[str(private)])
    etag = poll(staff, address)["ETag"]
    assert poll(staff, address, etag).status_code == 304
    assert poll(visitor, address, etag).status_code == 404


def test_polling_is_not_limited_in_rate(
    scene: Scene, staff: Client, address: str, settings: Any
) -> None:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "1/1h")
    etag = poll(staff, address)["ETag"]
    assert {poll(staff, address, etag).status_code for _ in range(20)} == {304}


def test_a_poll_without_forms_sets_no_cookie(scene: Scene, visitor: Client, address: str) -> None:
    etag = poll(visitor, address)["ETag"]
    assert poll(visitor, address, etag).cookies == {}


@pytest.mark.parametrize(
    "path",
    [
        "/sets/{ref}/runs/events",
        "/sets/{ref}/analyses/1/events",
        "/imports/1/events",
        "/try/1/events",
        "/studies/some-study/stages/events",
        "/studies/some-study/crowd/events",
    ],
)
def test_the_addresses_of_event_streams_are_gone(scene: Scene, staff: Client, path: str) -> None:
    staff.force_login(User.objects.create_superuser("root"))
    assert staff.get(path.format(ref=scene.ref)).status_code == 404
