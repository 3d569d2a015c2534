"""Choosing the best and the worst of a set in a real browser: mouse, keys, touch, offline, no
JavaScript, accessibility."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.rating.models import Participation, Rating
from tests.annotation import factories
from tests.annotation.rating.test_sets import SETS, UPLOAD
from tests.browser.accessibility import DESKTOP, PHONE, faults
from tests.browser.conftest import Opened, saved
from tests.browser.test_rating_criteria import open_task, unpin

pytestmark = pytest.mark.browser


@pytest.fixture
def rater(transactional_db: None) -> Participation:
    stage = factories.open_stage(factories.make_study(SETS, UPLOAD))
    return factories.join(stage.study, "ann")


def points(card: Locator, question: str) -> Locator:
    return card.get_by_role("group", name=question).locator(".point")


def choose(card: Locator, best: int, worst: int) -> None:
    """Mark the answers at these places, from 1."""
    points(card, "Which answer is the best?").nth(best - 1).click()
    points(card, "Which answer is the worst?").nth(worst - 1).click()


def places() -> list[tuple[int, int]]:
    """The places at which each best and worst answer was shown, by rating."""
    rows = Rating.objects.order_by("pk").values_list("value", "answers__worst", "shown")
    return [(shown.index(value) + 1, shown.index(worst) + 1) for value, worst, shown in rows]


def checked(card: Locator) -> list[str]:
    return [box.get_attribute("data-key") or "" for box in card.locator(":checked").all()]


def test_best_and_worst_are_chosen_by_keys(rater: Participation, open_rater: Opened) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    expect(page.locator("#next")).to_be_visible()
    expect(page.locator("h1")).to_have_text("2 comparisons to make")
    cards = page.locator(".card")
    page.keyboard.press("2")
    expect(points(cards.first, "worst").nth(1).locator("input")).to_be_disabled()
    page.keyboard.press("2")
    assert checked(cards.first) == ["2"], "the best is not the worst"
    page.keyboard.press("3")
    expect(cards.nth(1)).to_be_focused()
    page.keyboard.press("1")
    page.keyboard.press("2")
    saved(page)
    assert sorted(places()) == [(1, 2), (2, 3)]
    page.reload()
    expect(page.locator("#progress")).to_have_text("2 of 2 rated")
    assert checked(cards.first) == ["2", "3"]


def test_another_best_answer_takes_the_place_of_the_worst(
    rater: Participation, open_rater: Opened
) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    expect(page.locator("#next")).to_be_visible()
    card = page.locator(".card").first
    choose(card, 1, 3)
    saved(page)
    points(card, "Which answer is the best?").nth(2).click()
    assert checked(card) == ["3"]
    points(card, "Which answer is the worst?").nth(0).click()
    saved(page)
    assert places() == [(3, 1)]


@pytest.mark.parametrize("script", [True, False])
def test_best_and_worst_are_chosen_by_touch(
    rater: Participation, open_rater: Opened, script: bool
) -> None:
    page = open_task(open_rater, rater, viewport=PHONE, java_script_enabled=script, has_touch=True)
    for card in page.locator(".card").all():
        points(card, "Which answer is the best?").nth(2).tap()
        points(card, "Which answer is the worst?").nth(0).tap()
    page.get_by_role("button", name="Submit", exact=True).tap()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Submitted")
    assert places() == [(3, 1), (3, 1)]


def test_without_script_the_same_answer_twice_is_refused(
    rater: Participation, open_rater: Opened
) -> None:
    page = open_task(open_rater, rater, viewport=PHONE, java_script_enabled=False)
    for card in page.locator(".card").all():
        choose(card, 1, 1)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Choose another answer than the best one.")
    for card in page.locator(".card").all():
        choose(card, 1, 2)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Submitted")
    assert places() == [(1, 2), (1, 2)]


def test_what_was_chosen_offline_is_saved_afterwards(
    rater: Participation, open_rater: Opened
) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    expect(page.locator("#next")).to_be_visible()
    page.context.set_offline(True)
    choose(page.locator(".card").first, 2, 1)
    expect(page.locator("#save-state")).to_contain_text("Offline")
    page.context.set_offline(False)
    saved(page)
    assert places() == [(2, 1)]


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_page_is_accessible_on_every_screen(
    rater: Participation, open_rater: Opened, viewport: dict[str, int]
) -> None:
    page: Page = open_task(open_rater, rater, viewport=viewport)
    expect(page.locator("#next")).to_be_visible()
    points(page.locator(".card").first, "Which answer is the best?").first.click()
    unpin(page)
    assert faults(page) == []
