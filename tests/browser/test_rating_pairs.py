"""Comparing two answers in a real browser: keys, accessibility."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotation.rating.models import Participation, Rating
from tests.annotation import factories
from tests.annotation.rating.test_pairs import PAIRS, candidates
from tests.browser.accessibility import DESKTOP, faults
from tests.browser.conftest import Opened, saved
from tests.browser.test_rating_criteria import open_task, unpin

pytestmark = pytest.mark.browser


@pytest.fixture
def rater(transactional_db: None) -> Participation:
    stage = factories.open_stage(factories.make_study(PAIRS, candidates(1)))
    return factories.join(stage.study, "ann")


def test_the_first_answer_is_chosen_by_keys(rater: Participation, open_rater: Opened) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    expect(page.locator("#next")).to_be_visible()
    expect(page.locator("h1")).to_have_text("3 comparisons to make")
    cards = page.locator(".card")
    expect(cards.first.get_by_role("term").filter(has_text="First answer")).to_be_visible()
    # With points from 0 the keys are the values that the page shows.
    page.keyboard.press("1")
    expect(cards.nth(1)).to_be_focused()
    page.keyboard.press("0")
    expect(cards.nth(2)).to_be_focused()
    page.keyboard.press("2")
    saved(page)
    keys = [int(card.get_attribute("data-candidate") or 0) for card in cards.all()]
    ratings = [Rating.objects.get(candidate=key) for key in keys]
    first = [rating.shown[0] for rating in ratings]
    assert [rating.value for rating in ratings] == [first[0], 0, 3 - first[2]]
    texts = cards.first.locator(".is-candidate .text").all_inner_texts()
    rating = ratings[0]
    stored = [part.candidate.text for part in rating.candidate.parts.all()]
    assert [stored[number - 1] for number in rating.shown] == texts
    page.reload()
    expect(cards.first.locator("input[data-key='1']")).to_be_checked()
    expect(page.locator("#progress")).to_have_text("3 of 3 rated")


def test_the_page_is_accessible_on_every_screen(rater: Participation, open_rater: Opened) -> None:
    page = open_task(open_rater, rater, viewport=DESKTOP)
    expect(page.locator("#next")).to_be_visible()
    unpin(page)
    assert faults(page) == []
