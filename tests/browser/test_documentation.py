"""The documentation in a browser, under the site's content security policy."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import SERIOUS, faults

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_search_finds_a_section(open_page: Callable[..., Page]) -> None:
    page = open_page("/docs/")
    page.get_by_label("Search the documentation").fill("krippendorff")
    page.get_by_label("Search the documentation").press("Enter")
    page.locator(".hits a").first.click()
    expect(page.locator("article h1")).to_be_visible()


@pytest.mark.parametrize(
    "path",
    ["", "reference/metrics/aev.html", "reference/python/concord.html", "tutorials/panel.html"],
)
def test_a_page_is_accessible_and_fits_the_screen(
    path: str, open_page: Callable[..., Page]
) -> None:
    assert faults(open_page(f"/docs/{path}"), impacts=("moderate", *SERIOUS)) == []
