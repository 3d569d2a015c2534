"""Pages that poll: progress appears, the focus stays, and polling ends with the job."""

from __future__ import annotations

from pathlib import Path

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils.timezone import now
from playwright.sync_api import Page, Response, expect

from benchmarks.imports import services as imports
from benchmarks.runs.models import MetricRun, RunChunk
from benchmarks.runs.services import runs
from tests.benchmarks.factories import ask_for_import
from tests.browser.conftest import Opened, Scene, sign_in


def is_poll(response: Response) -> bool:
    return "hx-request" in response.request.headers


def statuses_of_polls(page: Page) -> list[int]:
    """The statuses of the answers to polls, from now on."""
    results: list[int] = []
    page.on("response", lambda answer: results.append(answer.status) if is_poll(answer) else None)
    return results


def start_chunks(run: MetricRun, number: int) -> None:
    """Have a worker begin on a run that it does in `number` parts of one item."""
    MetricRun.objects.filter(pk=run.pk).update(status=MetricRun.Status.RUNNING)
    run.chunks.all().delete()
    for index in range(number):
        RunChunk.objects.create(run=run, index=index, sent_at=now(), n_items=1, positions=b"")


def finish_chunks(run: MetricRun, number: int) -> None:
    done = run.chunks.filter(index__lt=number)
    done.update(status=RunChunk.Status.DONE, scores=b"")


def test_the_progress_of_a_run_appears_without_reload_and_polling_ends_with_it(
    scene: Scene, open_page: Opened
):
    run = scene.queued
    start_chunks(run, 4)
    page = open_page()
    page.goto(f"/sets/{scene.ref}/runs/")
    page.evaluate("window.isSamePage = true")
    expect(page.locator("#runs[hx-trigger]")).to_have_count(1)
    progress = page.get_by_role("progressbar", name="ter: progress")
    expect(progress).to_have_attribute("value", "0")
    finish_chunks(run, 2)
    expect(progress).to_have_attribute("value", "50")
    runs.fail_run(run, "The boat sank.", at=now())
    expect(page.get_by_text("The boat sank.")).to_be_visible()
    expect(page.locator("#runs[hx-trigger]")).to_have_count(0)
    statuses = statuses_of_polls(page)
    page.wait_for_timeout(5000)
    assert statuses == []
    assert page.evaluate("window.isSamePage") is True


def test_an_unchanged_fragment_is_not_replaced_and_the_focus_outlives_a_change(
    scene: Scene, open_page: Opened
):
    run = scene.queued
    start_chunks(run, 4)
    page = open_page("/sign-in/")
    sign_in(page)
    page.goto(f"/sets/{scene.ref}/runs/")
    stop = page.get_by_role("button", name="Stop ter")
    stop.focus()
    page.evaluate("document.activeElement.isFirst = true")
    for _ in range(2):
        with page.expect_response(is_poll) as poll:
            pass
        assert poll.value.status == 304
    assert page.evaluate("document.activeElement.isFirst") is True
    finish_chunks(run, 2)
    progress = page.get_by_role("progressbar", name="ter: progress")
    expect(progress).to_have_attribute("value", "50")
    assert page.evaluate("document.activeElement.isFirst") is None
    expect(stop).to_be_focused()
    stop.press("Enter")
    expect(page.get_by_text("ter is stopped.")).to_be_visible()


def test_a_page_whose_reader_is_signed_out_elsewhere_asks_to_sign_in_and_comes_back(
    scene: Scene, open_page: Opened, tmp_path: Path
):
    page = open_page("/sign-in/")
    sign_in(page)
    asked = ask_for_import(User.objects.get(is_staff=True), tmp_path, "brought")
    page.goto(asked.get_absolute_url())
    Session.objects.all().delete()
    page.wait_for_url("**/sign-in/?next=/imports/**")
    expect(page.get_by_role("main")).to_have_count(1)
    sign_in(page)
    expect(page.get_by_role("heading", name="Import of brought")).to_be_visible()


def test_a_page_of_an_import_goes_on_to_the_set_with_the_report(
    scene: Scene, open_page: Opened, tmp_path: Path
):
    page = open_page("/sign-in/")
    sign_in(page)
    asked = ask_for_import(User.objects.get(is_staff=True), tmp_path, "brought")
    page.goto(asked.get_absolute_url())
    expect(page.locator("#import[hx-trigger]")).to_have_count(1)
    imports.SET_IMPORTS.perform(asked.pk)
    page.wait_for_url("**/sets/brought@1/")
    expect(page.get_by_text("12 candidates read, 12 kept")).to_be_visible()
