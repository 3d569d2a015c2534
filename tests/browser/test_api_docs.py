"""The API documentation page: accessibility, layout, and no need for JavaScript."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import Screen, faults, on_screens

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@on_screens
def test_every_operation_opened_it_has_no_serious_violation(
    screens: list[Screen], open_page: Callable[..., Page]
) -> None:
    page = open_page("/api/v1/docs/")
    opened = ("start_metric_runs", "import_judgments", "create_a_study", "read_a_leaderboard")
    for name in opened:
        page.locator(f"#{name} > summary").click()
    assert faults(page, screens) == []


def test_a_problems_address_leads_to_its_row(open_page: Callable[..., Page]) -> None:
    page = open_page("/api/v1/docs/#problem-role-needed", java_script_enabled=False)
    expect(page.locator("#problem-role-needed")).to_be_in_viewport()
