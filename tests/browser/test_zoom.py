"""At 200% zoom the main pages fit their window, and what is sticky leaves room to read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tests.annotation import people
from tests.benchmarks.scenes import Scene
from tests.browser.accessibility import ZOOMED, excess_width
from tests.browser.conftest import Opened, sign_in

pytestmark = pytest.mark.browser
# The share of the window that bars which stay in view may cover.
MAX_COVERED = 0.5
COVERED = """() => [...document.querySelectorAll("*")]
  .filter(one => !one.closest("table"))
  .filter(one => ["fixed", "sticky"].includes(getComputedStyle(one).position))
  .reduce((sum, one) => {
    const box = one.getBoundingClientRect();
    return sum + Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, 0));
  }, 0) / innerHeight"""


def test_the_main_pages_of_sets_and_studies_fit_at_200_percent(
    scene: Scene, open_page: Callable[..., Page]
) -> None:
    study = people.full_scene(User.objects.get(username="sam"))
    page = open_page("/sign-in/", viewport=ZOOMED)
    sign_in(page)
    paths = [f"/sets/{scene.ref}/{name}" for name in ("", "leaderboard/", "data/", "comparison/")]
    paths += [
        f"/studies/{study.slug}/{name}"
        for name in ("", "candidates/", "stages/", "monitor/", "quality/", "freeze/")
    ]
    wide = {}
    for path in ["/", "/metrics-by-sets/", "/studies/new/", *paths]:
        page.goto(path)
        if (wider := excess_width(page)) > 0:
            wide[path] = wider
    assert wide == {}


def test_a_rater_reads_and_rates_at_200_percent(transactional_db: None, open_rater: Opened) -> None:
    people.open_stage(people.new_study(people.researcher(), people.PROTOCOL, people.candidates()))
    page = open_rater("/rate/join/boats/?worker=ann", viewport=ZOOMED)
    assert excess_width(page) <= 0
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Next task").or_(
        page.get_by_role("button", name="Start")
    ).first.click()
    expect(page.locator("form#task")).to_be_visible()
    assert excess_width(page) <= 0
    assert page.evaluate(COVERED) < MAX_COVERED
