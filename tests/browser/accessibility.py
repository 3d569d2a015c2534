"""axe-core on the pages of the browser tests, on desktops and phones, light and dark."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
SERIOUS = ("serious", "critical")
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
SMALL = {"width": 320, "height": 640}
ZOOMED = {"width": 640, "height": 450}  # a desktop at 200%

Screen = tuple[dict[str, int], str]

# Each size and each scheme once; the other combinations take as long again.
SCREENS: list[Screen] = [(DESKTOP, "light"), (PHONE, "dark")]
OTHER_SCREENS: list[Screen] = [(DESKTOP, "dark"), (PHONE, "light")]

on_screens = pytest.mark.parametrize(
    "screens",
    [
        pytest.param(SCREENS, id="each"),
        pytest.param(OTHER_SCREENS, id="others", marks=pytest.mark.slow),
    ],
)


def faults(
    page: Page, screens: Sequence[Screen] = SCREENS, impacts: Collection[str] = SERIOUS
) -> list[str]:
    """What axe-core finds on the open page on each screen, and whether it is wider than that."""
    results = []
    for size, scheme in screens:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        where = f"{page.url}, {size['width']} pixels, {scheme}"
        for violation in violations(page):
            if violation["impact"] in impacts:
                nodes = [node["html"][:160] for node in violation["nodes"][:3]]
                results.append(f"{where}: {violation['id']}: {nodes}")
        if (wider := excess_width(page)) > 0:
            results.append(f"{where}: {wider} pixels wider than the screen")
    return results


def violations(page: Page) -> list[dict[str, Any]]:
    """What axe-core finds; it is loaded into each page once."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    result = page.evaluate("async options => (await axe.run(options)).violations", OPTIONS)
    assert isinstance(result, list)
    return result


def excess_width(page: Page) -> int:
    """How many pixels the page is wider than its window."""
    width = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert isinstance(width, int)
    return width
