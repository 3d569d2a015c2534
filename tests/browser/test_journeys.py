"""Typical tasks of users, from the first page to the last."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from celery import current_app
from playwright.sync_api import Page, expect

from benchmarks.runs.models import MetricRun, RunChunk
from tests.benchmarks.scenes import Scene
from tests.browser.conftest import sign_in
from tests.waiting import wait_for

pytestmark = pytest.mark.browser


def metrics_shown(page: Page) -> list[str]:
    names = page.locator("table.board tbody a.strong")
    expect(names.first).to_be_visible()
    page.wait_for_load_state()
    return names.all_inner_texts()


def test_a_visitor_goes_from_the_board_to_a_candidate(
    scene: Scene, open_page: Callable[..., Page]
) -> None:
    page = open_page()
    page.get_by_role("link", name="small", exact=True).first.click()
    page.get_by_role("link", name="Metrics", exact=True).first.click()
    best_first = metrics_shown(page)
    page.evaluate("window.same_document = true")

    page.get_by_role("link", name="Pearson").click()
    expect(page.locator(".summary")).to_contain_text("worst first")
    assert metrics_shown(page)[:2] == best_first[:2][::-1]

    page.get_by_label("Metric contains").press_sequentially("token")
    expect(page.locator("table.board tbody a.strong")).to_have_count(1)
    expect(page.locator(".summary")).to_contain_text("worst first")
    assert "metric=token" in page.url and "direction=worst" in page.url

    page.get_by_role("link", name="system", exact=True).click()
    expect(page.locator(".group-row")).to_have_count(3)
    expect(page.get_by_label("Metric contains")).to_have_value("token")
    assert page.evaluate("window.same_document"), "the page was loaded anew"

    page.go_back()
    expect(page.locator(".group-row")).to_have_count(0)
    page.locator("table.board a.strong", has_text="token-f1").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("token-f1")
    point = page.locator("svg.scatter a").first
    key = point.get_attribute("aria-label")
    point.dispatch_event("click")
    expect(page.get_by_role("heading", level=1)).to_have_text(key or "")
    expect(page.get_by_text("single ratings")).to_be_visible()


def test_everything_works_without_javascript(scene: Scene, open_page: Callable[..., Page]) -> None:
    page = open_page(f"/sets/{scene.ref}/leaderboard/", java_script_enabled=False)
    page.get_by_role("link", name="Kendall").click()
    expect(page.locator(".summary")).to_contain_text("sorted by Kendall")
    page.get_by_label("Metric contains").fill("rouge")
    page.get_by_role("button", name="Filter").click()
    assert metrics_shown(page) == ["rouge-l"]
    expect(page.locator(".summary")).to_contain_text("sorted by Kendall")
    page.locator("table.board a.strong").first.click()
    page.get_by_label("Constituent").select_option("facts")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("svg.scatter circle")).to_have_count(12)


def test_staff_start_a_run_and_stop_it(scene: Scene, open_page: Callable[..., Page]) -> None:
    current_app.control.purge()
    page = open_page(f"/sets/{scene.ref}/runs/")
    page.get_by_role("link", name="sign in", exact=True).click()
    sign_in(page)
    page.locator("input[name=metrics][value=chrf]").check()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("1 of 1 metric queued")).to_be_visible()
    run = MetricRun.objects.get(metric="chrf")
    assert run.status == MetricRun.Status.QUEUED
    assert RunChunk.objects.filter(run=run).count() == 1
    assert current_app.control.purge() >= 1

    MetricRun.objects.filter(pk=run.pk).update(status=MetricRun.Status.RUNNING)
    row = page.locator("tr", has_text="chrf").filter(has=page.locator("progress"))
    expect(row).to_contain_text("running")  # the page asks again by itself
    row.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("chrf is stopped")).to_be_visible()
    assert MetricRun.objects.get(pk=run.pk).status == MetricRun.Status.CANCELLED


def test_polling_ends_with_the_last_run(scene: Scene, open_page: Callable[..., Page]) -> None:
    page = open_page(f"/sets/{scene.ref}/runs/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    wait_for(lambda: page.wait_for_timeout(100) or asked)
    MetricRun.objects.filter(pk=scene.queued.pk).update(status=MetricRun.Status.CANCELLED)
    expect(page.get_by_text("none in progress")).to_be_visible()
    so_far = len(asked)
    page.wait_for_timeout(2500)
    assert len(asked) == so_far


def test_the_keyboard_reaches_content_and_sorting(
    scene: Scene, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"/sets/{scene.ref}/leaderboard/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to main content")
    expect(skip).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    sort = page.locator("#sort-spearman")
    sort.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".summary")).to_contain_text("sorted by Spearman")
    expect(page.locator("#sort-spearman")).to_be_focused()
