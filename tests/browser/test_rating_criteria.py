"""A task with several criteria in a real browser: mouse, keys, accessibility."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from annotation.rating.models import Participation, Rating, RatingDraft
from annotation.rating.services.tokens import token_for
from annotation.studies.models import Stage
from tests.annotation import factories
from tests.annotation.rating.test_criteria import ANSWERS, PROTOCOL
from tests.browser.accessibility import DESKTOP, faults
from tests.browser.conftest import Opened, saved

pytestmark = pytest.mark.browser

SHORT = {"fluency": 1, "tone": "dry", "clear": True}


@pytest.fixture
def stage(transactional_db: None) -> Stage:
    return factories.open_study(PROTOCOL, passages=1)


@pytest.fixture
def rater(stage: Stage) -> Participation:
    return factories.join(stage.study, "ann")


def open_task(open_rater: Opened, rater: Participation, **options: Any) -> Page:
    page = open_rater(reverse("rating-home", args=[token_for(rater)]), **options)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("form#task")).to_be_visible()
    return page


def question(card: Locator, name: str) -> Locator:
    return card.locator(f"[data-criterion={name}]")


def choose(box: Locator, value: str) -> None:
    box.locator(".point", has=box.page.locator(f"input[value='{value}']")).click()


def answer_all(card: Locator) -> None:
    choose(card.locator(".scale").first, "2")
    choose(question(card, "fluency"), "2")
    question(card, "share").get_by_role("spinbutton").fill("40")
    choose(question(card, "tone"), ANSWERS["tone"])
    choose(question(card, "errors"), "number")
    choose(question(card, "clear"), "no")
    question(card, "why").locator("textarea").fill(ANSWERS["why"])


def unpin(page: Page) -> None:
    """Let nothing cover a part of a target, which would then be too small."""
    for part in page.locator(".bar, .passage").all():
        part.evaluate("part => { part.style.position = 'static'; }")


def answers() -> list[dict[str, Any]]:
    return list(Rating.objects.order_by("created_at", "pk").values_list("answers", flat=True))


def test_by_mouse_questions_follow_from_answers(rater: Participation, open_rater: Opened) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    card = page.locator(".card").first
    expect(question(card, "errors")).to_be_hidden()
    expect(question(card, "why")).to_be_hidden()
    answer_all(card)
    saved(page)
    assert answers() == [ANSWERS]
    expect(page.locator("#progress")).to_have_text("1 of 3 rated")
    choose(card.locator(".scale").first, "4")
    expect(question(card, "errors")).to_be_hidden()
    choose(question(card, "clear"), "yes")
    saved(page)
    rest = {name: ANSWERS[name] for name in ("fluency", "share", "tone")}
    assert answers() == [rest | {"clear": True}]
    page.reload()
    expect(question(card, "share").get_by_role("slider")).to_have_value("40")
    expect(page.locator("#progress")).to_have_text("1 of 3 rated")


def test_an_unfinished_answer_is_there_on_another_device(
    rater: Participation, open_rater: Opened
) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    card = page.locator(".card").first
    name = card.get_attribute("id")
    choose(question(card, "fluency"), "1")  # before the main question
    saved(page)
    choose(card.locator(".scale").first, "2")
    question(card, "share").get_by_role("spinbutton").fill("400")  # no answer yet
    card.locator(".comment summary").click()
    card.locator(".comment textarea").fill("Two of them")
    saved(page)
    phone = open_rater(page.url, viewport={"width": 390, "height": 844})
    there = phone.locator(f"#{name}")
    saved(phone)  # an unfinished answer is saved too
    expect(there.locator("input[value='2']").first).to_be_checked()
    expect(question(there, "fluency").locator("input").first).to_be_checked()
    expect(there.locator("textarea").last).to_have_value("Two of them")
    expect(phone.locator("#progress")).to_have_text("0 of 3 rated")
    assert Rating.objects.count() == 0
    choose(there.locator(".scale").first, "4")
    choose(question(there, "tone"), "dry")
    choose(question(there, "clear"), "yes")
    saved(phone)
    expect(phone.locator("#progress")).to_have_text("1 of 3 rated")
    assert answers() == [SHORT] and not RatingDraft.objects.exists()


def test_an_incomplete_card_is_no_rating_and_says_what_is_missing(
    rater: Participation, open_rater: Opened
) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    card = page.locator(".card").first
    choose(card.locator(".scale").first, "4")
    choose(question(card, "fluency"), "1")
    expect(page.locator("#progress")).to_have_text("0 of 3 rated")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#message")).to_contain_text("Answer the other questions too.")
    expect(question(card, "tone").locator("input").first).to_be_focused()
    page.reload()
    expect(question(card, "fluency").locator("input").first).to_be_checked()
    choose(question(card, "tone"), "dry")
    choose(question(card, "clear"), "yes")
    saved(page)
    assert answers() == [SHORT]


def test_by_keys_alone(rater: Participation, open_rater: Opened) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    expect(page.locator("#next")).to_be_visible()
    press, cards = page.keyboard.press, page.locator(".card")
    for key in ("4", "1", "1", "1"):  # the scale, fluency, tone, clear; share is optional
        press(key)
    expect(cards.nth(1)).to_be_focused()
    press("2")
    press("2")  # fluency
    press("3")  # tone
    expect(question(cards.nth(1), "errors").locator("input").first).to_be_focused()
    press("2")
    press("1")
    press("1")  # ticks "number" and "name", and unticks "name"
    press("Enter")
    press("2")  # not clear
    expect(question(cards.nth(1), "why").locator("textarea")).to_be_focused()
    page.keyboard.type("1 or 2")  # digits are text here
    share = question(cards.nth(1), "share").get_by_role("slider")
    share.focus()
    press("ArrowRight")
    press("Enter")
    saved(page)
    expect(cards.nth(2)).to_be_focused()
    why = {"why": "1 or 2", "share": 1}
    assert answers() == [SHORT, ANSWERS | why]


def test_the_page_is_accessible_on_every_screen(rater: Participation, open_rater: Opened) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    answer_all(page.locator(".card").first)
    unpin(page)
    assert faults(page) == []
