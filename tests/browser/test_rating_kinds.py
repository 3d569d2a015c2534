"""Every kind of question in a real browser, in every way in which people answer.

The kinds are scale, slider, choice, choices, yes-no, text, marked parts, and a choice between two
answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.rating.models import Participation, Rating
from annotation.studies.intake import Item
from concord.protocols.criteria import CRITERION_KINDS
from tests.annotation import factories
from tests.annotation.rating.test_criteria import ANSWERS, PROTOCOL
from tests.annotation.rating.test_pairs import PAIRS, candidates
from tests.annotation.rating.test_spans import ERRORS, TEXT
from tests.browser.accessibility import DESKTOP, PHONE
from tests.browser.conftest import Opened, saved
from tests.browser.keyboard import go_to
from tests.browser.test_rating_criteria import open_task, question
from tests.browser.test_rating_spans import RAINED, SELECT

pytestmark = pytest.mark.browser

EVERY = replace(PROTOCOL, criteria=(*PROTOCOL.criteria, replace(ERRORS, name="marked")))
EXPECTED = ANSWERS | {"marked": [RAINED]}


@dataclass(frozen=True)
class Way:
    """How a rater points, on which screen, and with what the browser has."""

    screen: dict[str, int]
    touch: bool = False
    script: bool = True
    offline: bool = False

    @property
    def options(self) -> dict[str, Any]:
        return {
            "viewport": self.screen,
            "has_touch": self.touch,
            "java_script_enabled": self.script,
        }

    @property
    def point(self) -> Callable[[Locator], None]:
        return Locator.tap if self.touch else Locator.click


WAYS = {
    "mouse": Way(DESKTOP),
    "touch": Way(PHONE, touch=True),
    "without script": Way(PHONE, touch=True, script=False),
    "offline and back": Way(PHONE, touch=True, offline=True),
}
in_every_way = pytest.mark.parametrize(
    "way", [pytest.param(way, id=id) for id, way in WAYS.items()]
)


@pytest.fixture
def rater(transactional_db: None) -> Participation:
    answer = Item.single("c1", factories.instance(1), TEXT, "a")
    stage = factories.open_stage(factories.make_study(EVERY, [answer]))
    return factories.join(stage.study, "ann")


@pytest.fixture
def comparer(transactional_db: None) -> Participation:
    # The condition of this one is a value that a choice between two answers does not have.
    criteria = tuple(one for one in PROTOCOL.criteria if one.name != "errors")
    protocol = replace(PAIRS, criteria=criteria)
    stage = factories.open_stage(factories.make_study(protocol, candidates(1, ("a", "b"))))
    return factories.join(stage.study, "ann")


def pick(way: Way, box: Locator, value: str) -> None:
    way.point(box.locator(".point", has=box.page.locator(f"input[value='{value}']")))


def answer_criteria(way: Way, card: Locator) -> None:
    """Answer each kind but marked parts as in ANSWERS, once the main question is answered."""
    pick(way, question(card, "fluency"), "2")
    share = question(card, "share")
    if way.script:
        way.point(share.get_by_role("slider"))
    share.get_by_role("spinbutton").fill("40")
    pick(way, question(card, "tone"), ANSWERS["tone"])
    pick(way, question(card, "clear"), "no")
    question(card, "why").locator("textarea").fill(ANSWERS["why"])


def mark_rained(way: Way, card: Locator) -> None:
    """Mark the sentence as a minor error of style."""
    marked = question(card, "marked")
    row = marked.locator(".span-row", has_text="It rained.")
    if way.script:
        box = marked.locator(".span-text").element_handle()
        card.page.evaluate(SELECT, [box, "It rained.", "It rained."])
        way.point(marked.get_by_role("button", name="Mark as minor"))
    else:
        row.get_by_role("checkbox").check()
        row.get_by_label("Severity").select_option("minor")
    row.get_by_label("Category").select_option("style")


def leave(way: Way, page: Page) -> None:
    if way.offline:
        page.context.set_offline(True)


def come_back_and_submit(way: Way, page: Page) -> None:
    if way.offline:
        expect(page.locator("#save-state")).to_have_text("Offline. Ratings to be saved: 1")
        assert not Rating.objects.exists()
        page.context.set_offline(False)
    if way.script:
        saved(page)
    way.point(page.get_by_role("button", name="Submit", exact=True))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Submitted")


def test_the_study_asks_every_kind() -> None:
    """But the worst of a set: `test_rating_sets` answers it."""
    assert {one.kind for one in EVERY.criteria} == set(CRITERION_KINDS) - {"worst"}


@in_every_way
def test_every_kind_is_answered(way: Way, rater: Participation, open_rater: Opened) -> None:
    page = open_task(open_rater, rater, **way.options)
    if way.script:
        expect(page.locator("#next")).to_be_visible()
    leave(way, page)
    card = page.locator(".card")
    pick(way, card.locator(".scale").first, "2")
    pick(way, question(card, "errors"), "number")
    answer_criteria(way, card)
    mark_rained(way, card)
    come_back_and_submit(way, page)
    assert (Rating.objects.get().value, Rating.objects.get().answers) == (2, EXPECTED)


@in_every_way
def test_two_answers_are_compared(way: Way, comparer: Participation, open_rater: Opened) -> None:
    page = open_task(open_rater, comparer, **way.options)
    if way.script:
        expect(page.locator("#next")).to_be_visible()
    leave(way, page)
    card = page.locator(".card")
    way.point(card.locator(".point", has_text="The first answer is better"))
    answer_criteria(way, card)
    come_back_and_submit(way, page)
    rating = Rating.objects.get()
    assert rating.value == rating.shown[0]
    assert rating.answers == {name: value for name, value in ANSWERS.items() if name != "errors"}


def test_by_keys_alone(rater: Participation, open_rater: Opened) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    expect(page.locator("#next")).to_be_visible()
    press, card = page.keyboard.press, page.locator(".card")
    for key in ("2", "2", "3"):  # the scale, fluency, tone; share is optional
        press(key)
    expect(question(card, "errors").locator("input").first).to_be_focused()
    press("2")  # number
    press("Enter")
    press("2")  # not clear
    expect(question(card, "why").locator("textarea")).to_be_focused()
    page.keyboard.type("A name.")
    go_to(page, question(card, "marked").locator(".span-text"))
    for key in ("ArrowRight",) * 4 + ("Shift+ArrowRight",):  # It rained.
        press(key)
    press("1")  # minor
    row = question(card, "marked").locator(".span-row", has_text="It rained.")
    expect(row.get_by_label("Category")).to_be_focused()
    page.keyboard.type("s")  # style
    go_to(page, question(card, "share").get_by_role("slider"))
    press("ArrowRight")
    saved(page)
    expected = EXPECTED | {"share": 1, "why": "A name."}
    assert (Rating.objects.get().value, Rating.objects.get().answers) == (2, expected)
