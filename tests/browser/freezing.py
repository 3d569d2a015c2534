"""Freeze a study in the browser; the test runs the worker's task."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from benchmarks.freezing import services as freezing
from benchmarks.freezing.models import Freezing


def freeze_to(page: Page, name: str) -> None:
    """From a page of the study to the set `name`, which is new."""
    page.get_by_role("link", name="Publish", exact=True).click()
    page.get_by_role("button", name=f"Freeze to {name}").click()
    expect(page.get_by_text("waiting for a worker")).to_be_visible()
    freezing.FREEZINGS.perform(Freezing.objects.get(parameters__name=name).pk)
    expect(page.get_by_text(f"{name}@1 is frozen")).to_be_visible()
