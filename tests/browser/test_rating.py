"""Raters in a real browser: mouse, keyboard, phone, offline, two windows, no JavaScript."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse
from django.utils.timezone import now
from playwright.sync_api import FrameLocator, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.rating.models import (
    Assignment,
    Message,
    Participation,
    Rating,
    RatingChange,
    Worker,
)
from annotation.rating.services import handing_out, participation
from annotation.rating.services.invitations import signed_preview
from annotation.rating.services.tokens import token_for
from tests.annotation.rating.scenes import (
    Scene,
    candidates,
    consent,
    instance,
    make_study,
    open_study,
    qualify,
)
from tests.browser.accessibility import (
    DESKTOP,
    OTHER_SCREENS,
    PHONE,
    SCREENS,
    SMALL,
    Screen,
    faults,
)
from tests.browser.conftest import Opened, saved
from tests.waiting import wait_for

pytestmark = pytest.mark.browser


@pytest.fixture
def scene(transactional_db: None) -> Scene:
    return open_study()


@pytest.fixture
def qualified(scene: Scene) -> Scene:
    qualify(scene)
    return scene


def home(worker: Participation) -> str:
    return reverse("rating-home", args=[token_for(worker)])


def take(page: Page, script: bool = True) -> Assignment:
    """Press Start on the overview; the task that is then in hand, its page ready."""
    page.get_by_role("button", name=re.compile("^(Start|Next task)$")).click()
    expect(page.locator("#next" if script else "form#task")).to_be_visible()
    return Assignment.objects.get(status=Assignment.Status.HELD)


def expect_submitted(page: Page | FrameLocator) -> None:
    """The page after a submitted task: the next task, or that there is none."""
    expect(page.locator("main")).to_contain_text("this task pays $0.40")


def values() -> list[int | None]:
    return sorted(Rating.objects.values_list("value", flat=True), key=str)


def test_the_open_link_visited_twice_in_a_browser_continues(
    scene: Scene, open_rater: Opened
) -> None:
    page = open_rater("/rate/join/kettle/", viewport=DESKTOP)
    page.get_by_role("button", name="Open my page").click()
    page.get_by_role("button", name="I agree").click()
    expect(page.get_by_role("button", name="Start the test")).to_be_visible()
    page.goto(page.url.split("/rate/")[0] + "/rate/join/kettle/")
    expect(page.get_by_role("button", name="I am another person")).to_be_visible()
    page.get_by_role("button", name="Open my page").click()
    expect(page.get_by_role("button", name="Start the test")).to_be_visible()
    assert Worker.objects.filter(provider="link").count() == 2  # and the scene's own


def test_a_rater_by_mouse_from_the_invitation_to_the_code(scene: Scene, open_rater: Opened) -> None:
    page = open_rater("/rate/join/kettle/", viewport=DESKTOP)
    page.get_by_role("button", name="Open my page").click()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Start the test").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Test")
    right = {"Tomas did": "5", "the captain": "1", "ships": "5", "ships and lamps": "3"}
    for text, value in right.items():
        card = page.locator(".card").filter(has=page.get_by_text(text, exact=True))
        card.locator(".point", has=page.locator(f"input[value='{value}']")).click()
    expect(page.locator("#progress")).to_have_text("4 of 4 rated")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You passed the test")
    page.get_by_role("link", name="Continue").click()
    first = take(page)
    for _ in range(2):
        for card in page.locator(".card").all():
            card.locator(".point").nth(3).click()
        saved(page)
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.locator("main")).to_contain_text("this task pays $0.40")
    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")
    expect(page.get_by_role("button", name="Next task")).to_have_count(0)
    first.refresh_from_db()
    assert first.status == Assignment.Status.SUBMITTED
    assert values().count(4) == 6
    taken = list(Rating.objects.values_list("seconds", flat=True))
    assert all(seconds is not None and seconds >= 0 for seconds in taken) and any(taken)
    page.get_by_role("link", name="Completion code").click()
    expect(page.locator(".code")).to_have_text(re.compile("^[A-Z2-7]{10}$"))


def test_a_rater_by_keys_only(qualified: Scene, open_rater: Opened) -> None:
    page = open_rater(home(qualified.worker), viewport=DESKTOP)
    press = page.keyboard.press
    start = page.get_by_role("button", name="Start")
    for _ in range(6):
        press("Tab")
        if start.evaluate("button => button === document.activeElement"):
            break
    expect(start).to_be_focused()
    press("Enter")
    cards = page.locator(".card")
    expect(page.locator("#next")).to_be_visible()
    press("2")
    press("Enter")
    expect(cards.nth(1)).to_be_focused()
    press("5")  # goes on by itself
    expect(cards.nth(2)).to_be_focused()
    press("ArrowLeft")
    press("ArrowLeft")
    expect(cards.nth(0)).to_be_focused()
    press("3")  # changed
    press("ArrowDown")
    press("ArrowDown")
    expect(cards.nth(2)).to_be_focused()
    press("x")
    expect(cards.nth(2).locator("textarea")).to_be_focused()
    page.keyboard.type("1 or 2? The passage does not say")  # digits are text here
    saved(page)
    for _ in range(12):  # out of the comment by Tab, to Submit
        press("Tab")
        if page.locator("#submit").evaluate("button => button === document.activeElement"):
            break
    expect(page.locator("#submit")).to_be_focused()
    press("Enter")
    expect_submitted(page)
    assert values() == [3, 5, None]
    assert Rating.objects.get(value=None).comment == "1 or 2? The passage does not say"


def test_enter_goes_on_to_what_is_unrated_and_then_to_submit(
    qualified: Scene, open_rater: Opened
) -> None:
    page = open_rater(home(qualified.worker))
    take(page)
    for _ in range(3):
        page.keyboard.press("4")
        page.keyboard.press("Enter")
    expect(page.locator("#submit")).to_be_focused()
    assert page.locator(":checked").count() == 3 + 2  # and two settings


def test_no_key_changes_a_rating_while_submit_has_the_focus(
    qualified: Scene, open_rater: Opened
) -> None:
    page = open_rater(home(qualified.worker))
    take(page)
    for _ in range(3):
        page.keyboard.press("4")
        page.keyboard.press("Enter")
    expect(page.locator("#message")).to_contain_text("Enter submits")
    for key in ("1", "x"):
        page.keyboard.press(key)
    expect(page.locator("#submit")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".card").last).to_be_focused()
    page.keyboard.press("2")  # on the card, where it is seen
    page.keyboard.press("Enter")
    saved(page)
    page.keyboard.press("Enter")
    expect_submitted(page)
    assert values() == [2, 4, 4]


def is_uncovered(page: Page, selector: str) -> bool:
    """Whether the middle of the last element of `selector` is in view, with nothing over it."""
    return page.evaluate(
        """selector => {
            const element = [...document.querySelectorAll(selector)].at(-1);
            const box = element.getBoundingClientRect();
            const top = document.elementFromPoint(box.x + 20, box.y + box.height / 2);
            return element.contains(top);
        }""",
        selector,
    )


@pytest.mark.parametrize("screen", [DESKTOP, PHONE, {"width": 800, "height": 600}], ids=str)
def test_cannot_judge_without_a_comment_says_why_above_the_bar(
    screen: dict[str, int], qualified: Scene, open_rater: Opened
) -> None:
    page = open_rater(home(qualified.worker), viewport=screen)
    take(page)
    cards = page.locator(".card")
    for card in cards.all()[:2]:
        card.locator(".point").nth(2).click()
    cards.nth(2).locator(".cannot").click()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(cards.nth(2).locator("textarea")).to_be_focused()
    expect(page.locator("#message")).to_contain_text("Answer 3: Say in a few words why")
    assert is_uncovered(page, ".card:last-of-type .problem")
    assert is_uncovered(page, ".card:last-of-type textarea")
    page.keyboard.type("The passage ends too early")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect_submitted(page)


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_long_passage_is_unfolded_on_a_phone(
    script: bool, transactional_db: None, open_rater: Opened
) -> None:
    long = "\n\n".join(f"Paragraph {at}. " + "The river froze again. " * 6 for at in range(4))
    scene = make_study(rated=candidates(instance("m1", long)))
    qualify(scene)
    page = open_rater(home(scene.worker), viewport=PHONE, java_script_enabled=script)
    take(page, script=script)
    page.locator(".card").nth(1).scroll_into_view_if_needed()
    text = page.locator(".passage-text")
    folded = text.bounding_box()
    page.get_by_label("Show all of the passage").check()
    unfolded = text.bounding_box()
    assert folded and unfolded and unfolded["height"] > 2 * folded["height"]
    expect(text).to_be_in_viewport(ratio=1)
    if script:
        page.keyboard.press("Tab")
        page.get_by_role("button", name="Next").click()
        expect(page.get_by_label("Show all of the passage")).not_to_be_checked()


def test_a_short_passage_offers_no_unfolding(transactional_db: None, open_rater: Opened) -> None:
    scene = make_study(rated=candidates(instance("m1", "A short passage.")))
    qualify(scene)
    page = open_rater(home(scene.worker), viewport=DESKTOP)
    take(page)
    expect(page.get_by_label("Show all of the passage")).to_be_hidden()


def test_keyboard_shortcuts_are_explained_and_can_be_turned_off(
    qualified: Scene, open_rater: Opened
) -> None:
    page = open_rater(home(qualified.worker))
    take(page)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Use these keys").uncheck()
    dialog.get_by_role("button", name="Close").click()
    page.reload()
    expect(page.locator("#next")).to_be_visible()
    page.keyboard.press("4")
    expect(page.locator("#progress")).to_have_text("0 of 3 rated")


def test_on_a_phone_the_passage_stays_in_view_and_folds(
    qualified: Scene, open_rater: Opened
) -> None:
    page = open_rater(home(qualified.worker), viewport=PHONE, has_touch=True, is_mobile=True)
    take(page)
    last = page.locator(".card").last
    last.scroll_into_view_if_needed()
    passage = page.locator(".passage-text")
    expect(passage).to_be_in_viewport()
    page.locator(".passage > summary").tap()
    expect(passage).to_be_hidden()
    for card in page.locator(".card").all():
        card.locator(".point").nth(1).tap()
    for point in page.locator(".point").all():
        box = point.bounding_box()
        assert box is not None and box["height"] >= 44 and box["width"] >= 44
    saved(page)
    page.get_by_role("button", name="Submit", exact=True).tap()
    expect_submitted(page)
    assert values() == [2, 2, 2]


# Whether something else lies over the middle of an element.
IS_COVERED = """element => {
  const box = element.getBoundingClientRect();
  const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  return !element.contains(top);
}"""


def test_on_a_phone_all_points_of_the_next_answer_are_in_view(
    qualified: Scene, open_rater: Opened
) -> None:
    page = open_rater(home(qualified.worker), viewport=PHONE, has_touch=True, is_mobile=True)
    take(page)
    page.locator(".card").first.locator(".point").nth(1).tap()
    second = page.locator(".card").nth(1)
    expect(second).to_be_focused()  # went on by itself
    for point in second.locator(".main-question .point:not(.cannot)").all():
        expect(point).to_be_in_viewport(ratio=1)
        assert not point.evaluate(IS_COVERED)
    for at in (1, 2):
        page.locator(".card").nth(at).locator(".point").nth(1).tap()
    page.get_by_role("button", name="Next").tap()
    expect(page.locator("#message")).to_have_text("Every answer is rated.")  # there is no Enter


def test_a_rating_is_undone_by_mouse_and_by_key(qualified: Scene, open_rater: Opened) -> None:
    page = open_rater(home(qualified.worker), viewport=DESKTOP)
    take(page)
    page.keyboard.press("4")
    first = page.locator(".card").first
    expect(page.locator("#progress")).to_have_text("1 of 3 rated")
    saved(page)
    first.get_by_role("button", name="Undo rating").click()
    expect(page.locator("#progress")).to_have_text("0 of 3 rated")
    expect(first).to_be_focused()
    expect(first.get_by_role("button", name="Undo rating")).to_be_hidden()
    saved(page)
    page.keyboard.press("2")
    saved(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Backspace")
    expect(page.locator("#progress")).to_have_text("0 of 3 rated")
    saved(page)
    page.reload()
    expect(page.locator("#progress")).to_have_text("0 of 3 rated")
    assert RatingChange.objects.count() == 2


def test_offline_ratings_wait_and_are_saved_on_return(qualified: Scene, open_rater: Opened) -> None:
    page = open_rater(home(qualified.worker))
    take(page)
    page.keyboard.press("1")
    saved(page)
    page.context.set_offline(True)
    for key in ("Enter", "2", "Enter", "3"):
        page.keyboard.press(key)
    expect(page.locator("#save-state")).to_have_text("Offline. Ratings to be saved: 2")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#message")).to_have_text("Offline: submit again once you are back.")
    assert values() == [1]
    page.context.set_offline(False)
    saved(page)
    assert values() == [1, 2, 3]
    page.get_by_role("button", name="Submit", exact=True).click()
    expect_submitted(page)


def test_offline_ratings_survive_closing_the_window(qualified: Scene, open_rater: Opened) -> None:
    page = open_rater(home(qualified.worker))
    take(page)
    page.context.set_offline(True)
    page.keyboard.press("4")
    expect(page.locator("#save-state")).to_have_text("Offline. Ratings to be saved: 1")
    task, context = page.url, page.context
    page.close()
    context.set_offline(False)
    again = context.new_page()
    again.goto(task)
    expect(again.locator("#progress")).to_have_text("1 of 3 rated")
    saved(again)
    assert values() == [4]


def test_a_reload_in_the_middle_loses_nothing(qualified: Scene, open_rater: Opened) -> None:
    page = open_rater(home(qualified.worker))
    take(page)
    page.keyboard.press("4")
    saved(page)
    page.keyboard.press("5")
    third = page.locator(".card").nth(2)
    third.locator(".comment summary").click()
    third.locator("textarea").fill("not rated yet, but thought about")
    page.reload()  # before the second was sent, and with a comment that has no rating
    expect(page.locator("#progress")).to_have_text("2 of 3 rated")
    expect(third.locator("textarea")).to_have_value("not rated yet, but thought about")
    wait_for(lambda: values() == [4, 5])
    page.keyboard.press("1")  # the first that has no rating is in hand
    wait_for(lambda: values() == [1, 4, 5])
    assert Rating.objects.get(value=1).comment == "not rated yet, but thought about"


def test_two_windows_show_the_same_and_the_last_change_counts(
    qualified: Scene, open_rater: Opened
) -> None:
    first = open_rater(home(qualified.worker))
    assignment = take(first)
    second = first.context.new_page()
    second.goto(first.url)
    first.keyboard.press("4")
    card = second.locator(".card").first
    expect(card.locator("input[value='4']")).to_be_checked()
    card.locator(".point").nth(1).click()
    expect(first.locator(".card").first.locator("input[value='2']")).to_be_checked()
    wait_for(lambda: values() == [2])
    for at in range(3):
        second.keyboard.press("2")
        expect(second.locator(".card").nth(at).locator("input[value='2']")).to_be_checked()
        second.keyboard.press("Enter")
    saved(second)
    second.keyboard.press("Enter")
    expect_submitted(second)
    first.keyboard.press("5")  # too late: told, not lost in silence
    expect(first.locator("#closed")).to_contain_text("submitted or returned")
    assignment.refresh_from_db()
    assert assignment.status == Assignment.Status.SUBMITTED
    assert values() == [2, 2, 2]


def test_a_rating_made_on_another_device_later_wins(qualified: Scene, open_rater: Opened) -> None:
    here = open_rater(home(qualified.worker))
    take(here)
    there = open_rater(here.url)
    here.context.set_offline(True)
    here.keyboard.press("1")
    expect(here.locator("#save-state")).to_have_text("Offline. Ratings to be saved: 1")
    there.keyboard.press("5")
    saved(there)
    here.context.set_offline(False)
    saved(here)
    expect(here.locator(".card").first.locator("input[value='5']")).to_be_checked()
    assert values() == [5]


def test_submitting_too_early_lists_missing_ratings(qualified: Scene, open_rater: Opened) -> None:
    page = open_rater(home(qualified.worker))
    take(page)
    cards = page.locator(".card")
    cards.nth(0).locator(".point").nth(2).click()
    cards.nth(1).locator(".cannot").click()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(cards.nth(1).locator("textarea")).to_be_focused()
    expect(cards.nth(1).locator(".problem")).to_contain_text("why you cannot judge")
    expect(cards.nth(2).locator(".problem")).to_have_text("Not rated yet.")
    expect(page.locator("#message")).to_contain_text("Still to rate: 2 of 3.")


def test_everything_works_without_javascript(scene: Scene, open_rater: Opened) -> None:
    page = open_rater("/rate/join/kettle/?worker=paula", java_script_enabled=False)
    worker = Participation.objects.get(worker__in=Worker.objects.known_as("link", "paula"))
    page.get_by_role("button", name="I agree").click()
    Participation.objects.filter(pk=worker.pk).update(qualified="passed")
    page.reload()
    take(page, script=False)
    page.locator(".at-hand summary").click()
    expect(page.locator(".at-hand").get_by_text("Read the passage.")).to_be_visible()
    page.locator(".card").nth(0).locator(".point").nth(0).click()
    page.locator(".card").nth(1).locator(".cannot").click()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("2 answers need a rating")).to_be_visible()
    page.locator(".card").nth(1).locator("textarea").fill("unclear")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("1 answer left to rate")).to_be_visible()
    page.locator(".card").nth(2).locator(".point").nth(4).click()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect_submitted(page)
    assert values() == [1, 5, None]


def test_a_task_is_done_in_another_sites_frame(
    qualified: Scene, open_rater: Opened, live_server: LiveServer, settings: Any
) -> None:
    panel = live_server.url.replace("127.0.0.1", "localhost")  # to a browser, another site
    settings.RATING_FRAME_ANCESTORS = [panel]
    page = open_rater("about:blank")
    frame = f'<iframe src="{live_server.url}{home(qualified.worker)}" width="900" height="800">'
    page.route(
        f"{panel}/panel",
        lambda route: route.fulfill(content_type="text/html", body=f"<title>p</title>{frame}"),
    )
    page.goto(f"{panel}/panel")
    inside = page.frame_locator("iframe")
    inside.get_by_role("button", name="Start").click()
    for card in range(3):
        inside.locator(".card").nth(card).locator(".point").nth(2).click()
    expect(inside.locator("#save-state")).to_have_text("Saved")
    inside.get_by_role("button", name="Submit", exact=True).click()
    expect_submitted(inside)
    assert values() == [3, 3, 3]


def test_a_preview_rates_nothing(scene: Scene, open_rater: Opened) -> None:
    page = open_rater(f"/rate/preview/kettle/?key={signed_preview(scene.study)}&stage=full")
    page.keyboard.press("4")
    expect(page.locator("#progress")).to_have_text("1 of 3 rated")
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_disabled()
    assert Rating.objects.count() == Assignment.objects.count() == 0


def pages(scene: Scene) -> dict[str, str]:
    """Every kind of page, each with somebody for whom it is not empty."""
    consent(scene)
    helper, excluded, tested = (scene.another(name) for name in ("olga", "emil", "tess"))
    for worker in (helper, excluded):
        qualify(scene, worker)
    participation.exclude(excluded, "Too fast", at=now())
    participation.write(excluded, "I did read them.", Message.Kind.APPEAL, at=now())
    Message.objects.update(answer="We look again.", answered_at=now())
    consent(scene, tested)
    test = handing_out.hand_out(tested.worker, scene.stage("qualification"), at=now())
    assert test is not None
    ratings = {c.pk: handing_out.Answer(4) for c in test.hit.candidates.all()}
    handing_out.save_ratings(test, ratings, at=now())
    participation.submit_test(test, at=now())
    handing_out.hand_out(helper.worker, scene.stage("full"), at=now())
    tokens = {w: token_for(w) for w in (scene.worker, helper, excluded, tested)}
    return {
        "invitation": reverse("rating-join", args=["kettle"]),
        "consent": home(scene.another("nina")),
        "test ahead": home(scene.worker),
        "excluded": home(excluded),
        "messages": reverse("rating-message", args=[tokens[excluded]]),
        "test result": reverse("rating-test", args=[tokens[tested]]),
        "code": reverse("rating-done", args=[tokens[tested]]),
        "submitted": reverse("rating-assignment", args=[tokens[tested], test.pk]),
        "task": reverse("rating-task", args=[tokens[helper]]),
        "preview": reverse("rating-preview", args=["kettle"])
        + f"?key={signed_preview(scene.study)}",
        "no such page": "/rate/nothing/",
    }


@pytest.mark.parametrize(
    "screens",
    [
        pytest.param([*SCREENS, (SMALL, "light")], id="each"),
        pytest.param([*OTHER_SCREENS, (SMALL, "dark")], id="others", marks=pytest.mark.slow),
    ],
)
def test_no_page_has_a_serious_violation_or_is_wider_than_the_screen(
    screens: list[Screen], scene: Scene, open_rater: Opened
) -> None:
    page = open_rater("about:blank")
    results = []
    for name, path in pages(scene).items():
        page.set_viewport_size(DESKTOP)
        page.goto(path)
        if name == "task":
            expect(page.locator("#next")).to_be_visible()
            page.keyboard.press("4")
            page.locator(".cannot").last.click()
            # What is pinned covers a part of some targets in passing: axe measures what is left.
            for pinned in page.locator(".passage, .bar").all():
                pinned.evaluate("element => (element.style.position = 'static')")
        for summary in page.locator("summary").all():
            # The open list of languages lies over other targets.
            if summary.evaluate("s => s.parentElement.className") not in ("passage", "language"):
                summary.dispatch_event("click")
        results += faults(page, screens)
    assert results == []
