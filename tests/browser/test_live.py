"""Pages follow long work by streams of events, and by asking where there is no stream."""

from __future__ import annotations

from pathlib import Path

from django.contrib.auth.models import User
from django.utils.timezone import now
from playwright.sync_api import expect

from benchmarks.imports import services as imports
from benchmarks.runs.services import runs
from tests.benchmarks.factories import ask_for_import
from tests.browser.conftest import Opened, Scene, sign_in


def asked_for(page, part: str) -> list[str]:
    """Addresses that the page asks for from now on."""
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url) if part in request.url else None)
    return found


def test_a_page_of_runs_shows_a_failure_when_it_happens_and_does_not_ask_meanwhile(
    scene: Scene, open_page: Opened
):
    page = open_page()
    streams, fragments = asked_for(page, "/runs/events"), asked_for(page, "/runs/")
    page.goto(f"/sets/{scene.ref}/runs/")
    expect(page.locator("#runs[data-live]")).to_have_count(1)
    page.wait_for_timeout(5000)
    assert len(streams) == 1
    quiet = len(fragments)
    page.wait_for_timeout(5000)
    assert len(fragments) == quiet
    runs.fail_run(scene.queued.pk, "The boat sank.", at=now())
    expect(page.get_by_text("The boat sank.")).to_be_visible(timeout=5000)
    assert len(streams) == 1


def test_without_a_stream_it_asks_every_few_seconds(scene: Scene, open_page: Opened, settings):
    settings.EVENT_STREAMS = 0
    page = open_page("/sign-in/")
    page.goto(f"/sets/{scene.ref}/runs/")
    runs.fail_run(scene.queued.pk, "The boat sank.", at=now())
    expect(page.get_by_text("The boat sank.")).to_be_visible(timeout=8000)


def test_a_page_of_an_import_goes_on_to_the_set_with_the_report(
    scene: Scene, open_page: Opened, tmp_path: Path
):
    page = open_page("/sign-in/")
    sign_in(page)
    asked = ask_for_import(User.objects.get(is_staff=True), tmp_path, "brought")
    page.goto(asked.get_absolute_url())
    expect(page.locator("#import[data-live]")).to_have_count(1)
    imports.perform(asked.pk)
    page.wait_for_url("**/sets/brought@1/", timeout=8000)
    expect(page.get_by_text("12 candidates read, 12 kept")).to_be_visible()
