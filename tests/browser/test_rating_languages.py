"""The raters' pages in Arabic, right to left, and in German, with its long words."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation.rating.models import Rating
from annotation.rating.services.languages import set_study_language
from tests.annotation.rating.arabic import make_arabic_study
from tests.annotation.rating.scenes import Scene, make_study, qualify
from tests.browser.accessibility import DESKTOP, PHONE, SMALL, Screen, faults
from tests.browser.conftest import Opened, saved
from tests.browser.test_rating import home, pages

pytestmark = pytest.mark.browser
# 1280 pixels at 200% are 640 pixels of a page.
MAGNIFIED = {"width": 640, "height": 450}
SCREENS: list[Screen] = [
    (SMALL, "light"),
    (PHONE, "dark"),
    (DESKTOP, "light"),
    (MAGNIFIED, "light"),
]
SHOWN = ("consent", "test ahead", "test result", "task")


def study_in(language: str) -> Scene:
    scene = make_arabic_study() if language == "ar" else make_study()
    set_study_language(scene.study, language)
    scene.study.refresh_from_db()
    return scene


@pytest.mark.parametrize("language", ["ar", "de"])
def test_no_page_has_a_serious_violation_or_is_wider_than_the_screen(
    language: str, transactional_db: None, open_rater: Opened
) -> None:
    page = open_rater("about:blank")
    addresses = pages(study_in(language))
    results = []
    for name in SHOWN:
        page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
        page.goto(addresses[name])
        expect(page.locator("html")).to_have_attribute("lang", language)
        if name == "consent":
            page.locator(".language summary").click()
        if name == "task":
            expect(page.locator("#next")).to_be_visible()
            for pinned in page.locator(".passage, .bar").all():
                pinned.evaluate("element => (element.style.position = 'relative')")
        results += faults(page, SCREENS)
    assert results == []


def press_until_focused(page: Page, selector: str) -> None:
    """Press Tab until the element has the focus, at most 30 times."""
    element = page.locator(selector).first
    for _ in range(30):
        page.keyboard.press("Tab")
        if element.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def rate_all(page: Page, keys: str) -> None:
    """Rate all answers by digits, and submit by Enter twice."""
    expect(page.locator("#next")).to_be_visible()
    for key in keys:
        page.keyboard.press(key)
    saved_text = page.locator("#save-state")
    expect(saved_text).to_have_class("save-state saved")
    page.keyboard.press("Enter")
    expect(page.locator("#submit")).to_be_focused()
    page.keyboard.press("Enter")


def test_a_test_and_a_task_in_arabic_by_keyboard_alone(
    transactional_db: None, open_rater: Opened
) -> None:
    scene = study_in("ar")
    page = open_rater(home(scene.worker), viewport=DESKTOP)
    press_until_focused(page, "button.primary")  # consent
    page.keyboard.press("Enter")
    expect(page.locator(".now h2")).to_have_text("حالتك")
    press_until_focused(page, "button.primary")
    page.keyboard.press("Enter")
    expect(page.locator("#next")).to_be_visible()
    right = {"Tomas did": "5", "the captain": "1", "ships": "5", "ships and lamps": "3"}
    shown = [
        card.locator(".is-candidate .text").inner_text() for card in page.locator(".card").all()
    ]
    rate_all(page, "".join(right[text] for text in shown))
    expect(page.locator("h1")).to_have_text("لقد اجتزت الاختبار")
    press_until_focused(page, "a.primary")
    page.keyboard.press("Enter")
    expect(page.locator(".state-line")).to_be_visible()
    press_until_focused(page, "button.primary")
    page.keyboard.press("Enter")
    cards = page.locator(".card")
    expect(page.locator("#next")).to_be_visible()
    page.keyboard.press("2")
    expect(cards.nth(1)).to_be_focused()
    page.keyboard.press("ArrowRight")  # to the start of the line: back
    expect(cards.nth(0)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(cards.nth(1)).to_be_focused()
    rate_all(page, "34")
    expect(page.locator("main")).to_contain_text("وأجر هذه المهمة 0,40 دولار أمريكي")
    assert sorted(
        Rating.objects.filter(candidate__use="rated").values_list("value", flat=True)
    ) == [
        2,
        3,
        4,
    ]


def test_a_rater_turns_going_on_off_and_it_stays_off(
    transactional_db: None, open_rater: Opened
) -> None:
    scene = make_study()
    qualify(scene)
    page = open_rater(home(scene.worker), viewport=DESKTOP)
    page.get_by_role("button", name="Start").click()
    cards = page.locator(".card")
    cards.nth(0).locator(".point").nth(1).click()
    expect(cards.nth(1)).to_be_focused()
    box = page.get_by_label("Go to the next answer after each rating")
    box.uncheck()
    cards.nth(1).locator(".point").nth(1).click()
    expect(page.locator("#progress")).to_have_text("2 of 3 rated")
    saved(page)  # takes longer than going on
    expect(cards.nth(1)).to_have_class("card current rated")
    page.reload()
    expect(page.locator("#next")).to_be_visible()
    expect(box).not_to_be_checked()


def test_a_language_is_chosen_on_a_task_without_losing_a_rating(
    transactional_db: None, open_rater: Opened
) -> None:
    scene = make_study()
    qualify(scene)
    page = open_rater(home(scene.worker), viewport=PHONE)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#next")).to_be_visible()
    page.locator(".point").nth(2).click()
    page.locator(".language summary").click()
    page.get_by_role("button", name="Français").click()
    expect(page.locator("#progress")).to_have_text("1 sur 3 évaluées")
    assert Rating.objects.get().value == 3
