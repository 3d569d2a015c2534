"""A study of conversations, rated on a phone."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.rating.models import Assignment, Rating
from annotation.rating.services.tokens import token_for
from tests.annotation.rating.scenes import (
    TURNS,
    Scene,
    candidates,
    conversation,
    make_study,
    qualify,
)
from tests.browser.accessibility import PHONE, faults
from tests.browser.conftest import Opened, saved

pytestmark = pytest.mark.browser


@pytest.fixture
def scene(transactional_db: None) -> Scene:
    replies = candidates(conversation("m1"), ("In the harbour.", "At sea, all of them."))
    wholes = candidates(conversation("m2", "conversation"), (TURNS[2]["content"],))
    made = make_study(rated=[*replies, *wholes], qualification=None)
    qualify(made)
    return made


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_conversations_are_rated_on_a_phone(scene: Scene, open_rater: Opened, script: bool) -> None:
    address = reverse("rating-home", args=[token_for(scene.worker)])
    page = open_rater(address, viewport=PHONE, has_touch=True, java_script_enabled=script)
    page.get_by_role("button", name="Start").tap()
    whole = page.locator(".card").filter(has_text="Conversation to rate")
    shared = page.get_by_role("region", name="Conversation")
    for _ in range(2):  # tasks: two replies to one conversation, and a whole one
        turns = page.locator(".turns").get_by_role("listitem")
        expect(turns).to_have_count(len(TURNS))
        expect(turns.last).to_contain_text("User")
        assert whole.count() + shared.count() == 1
        for card in page.locator(".card").all():
            card.locator(".point").nth(3).tap()
        if script:
            saved(page)
            # What is pinned covers a part of some targets in passing.
            for pinned in page.locator(".passage, .bar").all():
                pinned.evaluate("element => (element.style.position = 'static')")
            assert faults(page, [(PHONE, "light"), (PHONE, "dark")]) == []
        with page.expect_navigation():
            page.get_by_role("button", name="Submit", exact=True).tap()
    assert {one.status for one in Assignment.objects.all()} == {Assignment.Status.SUBMITTED}
    assert list(Rating.objects.values_list("value", flat=True)) == [4, 4, 4]
