"""The API's documentation: axe finds nothing serious, nothing overflows, no script is needed."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import DESKTOP, PHONE, RULES

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_operation_opened_it_has_no_serious_violation(
    size: dict[str, int], scheme: str, open_page: Callable[..., Page]
) -> None:
    page = open_page("/api/v1/docs/", viewport=size, color_scheme=scheme)
    opened = ("start_metric_runs", "import_judgments", "begin_a_study", "read_a_leaderboard")
    for name in opened:
        page.locator(f"#{name} > summary").click()
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/docs-{scheme}-{size['width']}.png")
        page.locator("#start_metric_runs").screenshot(
            path=f"{folder}/op-{scheme}-{size['width']}.png"
        )
    found = Axe().run(page, options=RULES).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
    wider = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert wider <= 0


def test_a_problems_address_leads_to_its_row(open_page: Callable[..., Page]) -> None:
    page = open_page("/api/v1/docs/#problem-role-needed", java_script_enabled=False)
    expect(page.locator("#problem-role-needed")).to_be_in_viewport()
