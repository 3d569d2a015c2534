"""Marking errors in an answer in a real browser: mouse, keys, accessibility."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.rating.models import Participation, Rating
from annotation.studies.intake import Item
from concord.protocols import preset
from tests.annotation import factories
from tests.annotation.rating.test_spans import BOAT, PROTOCOL, TEXT
from tests.browser.accessibility import DESKTOP, faults
from tests.browser.conftest import Opened, saved
from tests.browser.test_rating_criteria import choose, open_task, question, unpin

pytestmark = pytest.mark.browser

RAINED = {"start": 12, "end": 22, "severity": "minor", "categories": ["style"]}
NOTHING = {"start": None, "end": None, "severity": "minor", "categories": ["fact"]}

# Selects from the first to the last of these texts, as by mouse.
SELECT = """([box, first, last]) => {
    const node = (part) => {
        const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
        for (let one; (one = walker.nextNode()); ) {
            const at = one.data.indexOf(part);
            if (at >= 0) return [one, at];
        }
    };
    const range = document.createRange();
    const [start, from] = node(first), [end, until] = node(last);
    range.setStart(start, from);
    range.setEnd(end, until + last.length);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
}"""


@pytest.fixture
def rater(transactional_db: None) -> Participation:
    candidates = [
        Item.single("c1", factories.instance(1), TEXT, "a"),
        Item.single("c2", factories.instance(1), "A second answer is here.", "b"),
    ]
    stage = factories.open_stage(factories.make_study(PROTOCOL, candidates))
    return factories.join(stage.study, "ann")


def card_of(page: Page, text: str) -> Locator:
    return page.locator(".card").filter(has=page.get_by_text(text).first)


def mark(page: Page, card: Locator, first: str, last: str, severity: str) -> None:
    box = question(card, "errors").locator(".span-text")
    page.evaluate(SELECT, [box.element_handle(), first, last])
    question(card, "errors").get_by_role("button", name=f"Mark as {severity}").click()


def row(card: Locator, text: str) -> Locator:
    return question(card, "errors").locator(".span-row", has_text=text)


def spans() -> list[dict[str, Any]]:
    return Rating.objects.get(candidate__key="c1").answers["errors"]


def test_by_mouse_a_selection_is_marked_changed_and_removed(
    rater: Participation, open_rater: Opened
) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    card = card_of(page, "It rained.")
    choose(card.locator(".scale").first, "2")
    saved(page)
    assert spans() == [], "nothing marked is an answer"
    mark(page, card, " It rained.", "It rained.\r", "minor")  # without the space around it
    expect(row(card, "It rained.").get_by_label("Category")).to_be_focused()
    expect(card).not_to_have_class("rated")
    row(card, "It rained.").get_by_label("Category").select_option("style")
    mark(page, card, "🚤", "🚤", "major")
    row(card, "🚤").get_by_label("Category").select_option("fact")
    saved(page)
    assert spans() == [BOAT, RAINED]
    expect(card.locator("mark")).to_have_text(["🚤", "It rained."])
    page.reload()
    expect(card.locator("mark")).to_have_text(["🚤", "It rained."])
    row(card, "🚤").get_by_label("Severity").select_option("minor")
    row(card, "It rained.").get_by_role("checkbox").click()
    saved(page)
    assert spans() == [BOAT | {"severity": "minor"}]
    expect(card.locator("mark")).to_have_text(["🚤"])


def test_a_mark_without_its_category_is_saved_and_its_answer_is_not_rated(
    rater: Participation, open_rater: Opened
) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    card = card_of(page, "It rained.")
    choose(card.locator(".scale").first, "2")
    expect(page.locator("#progress")).to_have_text("1 of 2 rated")
    mark(page, card, "It rained.", "It rained.", "minor")
    saved(page)
    expect(page.locator("#progress")).to_have_text("0 of 2 rated")
    other = open_rater(page.url, viewport=DESKTOP)
    there = card_of(other, "It rained.")
    expect(row(there, "It rained.").get_by_label("Category")).to_have_value("")
    expect(other.locator("#progress")).to_have_text("0 of 2 rated")
    row(there, "It rained.").get_by_label("Category").select_option("style")
    saved(other)
    expect(other.locator("#progress")).to_have_text("1 of 2 rated")
    assert spans() == [RAINED]


def test_by_keys_words_are_selected_and_marked(rater: Participation, open_rater: Opened) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    expect(page.locator("#next")).to_be_visible()
    press, card = page.keyboard.press, card_of(page, "It rained.")
    card.focus()
    press("2")
    question(card, "errors").locator(".span-text").focus()
    for key in ("ArrowRight",) * 4 + ("Shift+ArrowRight",):  # It rained.
        press(key)
    press("1")
    expect(row(card, "It rained.").get_by_label("Category")).to_be_focused()
    page.keyboard.type("s")  # style
    question(card, "errors").get_by_role("button", name="Something is missing").focus()
    press("Enter")
    expect(row(card, "Something is missing").get_by_label("Severity")).to_be_focused()
    page.keyboard.type("m")
    press("Tab")
    page.keyboard.type("f")
    saved(page)
    assert spans() == [RAINED, NOTHING]


@pytest.fixture
def esa_rater(transactional_db: None) -> Participation:
    esa = replace(preset("wmt-esa-2024"), consent="")
    stage = factories.open_study(esa, passages=1, each=2)
    return factories.join(stage.study, "ann")


def test_a_score_on_a_slider_after_marks(esa_rater: Participation, open_rater: Opened) -> None:
    page = open_task(open_rater, esa_rater, viewport=DESKTOP)
    expect(page.locator("#next")).to_be_visible()
    first, second = page.locator(".card").all()
    score = first.locator(".main-question").get_by_role("spinbutton")
    score.fill("870")
    expect(page.locator("#progress")).to_have_text("0 of 2 rated")
    score.fill("87")
    expect(first.locator(".main-question").get_by_role("slider")).to_have_value("87")
    cannot = second.locator(".main-question").get_by_role("checkbox")
    cannot.check()
    second.locator(".comment textarea").fill("cut off")
    saved(page)
    assert set(Rating.objects.values_list("value", flat=True)) == {87, None}
    page.reload()
    expect(cannot).to_be_checked()
    slider = second.locator(".main-question").get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(cannot).not_to_be_checked()
    saved(page)
    assert set(Rating.objects.values_list("value", flat=True)) == {87, 1}
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Submitted")


def test_the_page_is_accessible_on_every_screen(rater: Participation, open_rater: Opened) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    expect(page.locator("#next")).to_be_visible()
    card = card_of(page, "It rained.")
    mark(page, card, "🚤", "🚤", "major")
    expect(card.locator("mark")).to_have_text(["🚤"])
    unpin(page)
    assert faults(page) == []
