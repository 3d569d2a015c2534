"""The documentation in a browser, under its own content security policy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.docs.building import built  # noqa: F401

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_search_finds_a_term(built: Path, open_page: Callable[..., Page]) -> None:  # noqa: F811
    page = open_page("/docs/search.html?q=krippendorff")
    expect(page.locator("#search-results li").first).to_be_visible()
    page.goto(page.url.split("search")[0] + "reference/metrics/bleu-1.html")
    expect(page.locator("math").first).to_be_visible()
