"""A whole study in the browser: created from a file, rated by five people, frozen, scored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect

from annotation.rating.models import Participation
from annotation.studies.models import Study
from benchmarks.sets.models import JudgmentSet
from tests.browser.accessibility import DESKTOP, PHONE
from tests.browser.candidates import add_upload
from tests.browser.conftest import PASSWORD, Opened, saved, sign_in
from tests.browser.freezing import freeze_to
from tests.browser.test_studies import candidate_file, qualification_file, set_trial, upload

pytestmark = pytest.mark.browser

Value = Callable[[str], int]


def make_study(page: Page, folder: Path) -> None:
    """A MOCHA study of the file's candidates, its test and its trial open."""
    sign_in(page)
    page.get_by_role("link", name="MOCHA 2020").click()
    page.get_by_label("Title").fill("Kettles")
    page.get_by_label("Short name").fill("kettles")
    page.get_by_role("button", name="Create study").click()
    for file, use in (
        (candidate_file(folder), "rated"),
        (qualification_file(folder), "qualification"),
    ):
        upload(page, file, use)
        add_upload(page)
    set_trial(page)
    for kind in ("qualification", "trial"):
        page.get_by_role("button", name=f"Open the {kind} stage").click()
        expect(page.get_by_text(f"The {kind} stage is open with")).to_be_visible()


def right(text: str) -> int:
    """The key of the test's answers: `answer 3` is worth 4."""
    return 1 + int(text.split()[1]) % 5


def wrong(text: str) -> int:
    return 6 - right(text) if right(text) != 3 else 1


def opinion(number: int) -> Value:
    """What a rater thinks of an answer: nearly what the others do, but for the oven."""
    return lambda text: 2 + number % 2 if "kettle" in text else 1 + (number + len(text)) % 5


def cards(page: Page) -> list[tuple[Locator, str]]:
    """The answers in hand, with their texts."""
    expect(page.locator("#next")).to_be_visible()
    card_list = page.locator(".card").all()
    return [(card, card.locator(".is-candidate .text").first.inner_text()) for card in card_list]


def by_mouse(page: Page, value: Value) -> None:
    for card, text in cards(page):
        card.locator(f".point:has(input[value='{value(text)}'])").click()


def by_touch(page: Page, value: Value) -> None:
    for card, text in cards(page):
        card.locator(f".point:has(input[value='{value(text)}'])").tap()


def by_keys(page: Page, value: Value) -> None:
    for _, text in cards(page):
        page.keyboard.press(str(value(text)))
        page.keyboard.press("Enter")


def offline(page: Page, value: Value) -> None:
    expect(page.locator("#next")).to_be_visible()  # the page's script is there
    page.context.set_offline(True)
    by_mouse(page, value)
    expect(page.locator("#save-state")).to_contain_text("to be saved")
    page.context.set_offline(False)


def with_a_reload(page: Page, value: Value) -> None:
    (first, text), *_ = cards(page)
    first.locator(f".point:has(input[value='{value(text)}'])").click()
    saved(page)
    page.reload()
    expect(page.locator("#progress")).to_contain_text("1 of")
    by_mouse(page, value)


def submit(page: Page) -> None:
    saved(page)
    page.get_by_role("button", name="Submit", exact=True).click()


def join(open_rater: Opened, name: str, **options: object) -> Page:
    page = open_rater(f"/rate/join/kettles/?worker={name}", **options)
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Start the test").click()
    return page


def take_part(page: Page, number: int, way: Callable[[Page, Value], None]) -> int:
    """Pass the test and do every task there is, in this rater's way; how many tasks."""
    way(page, right)
    submit(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("You passed the test")
    page.get_by_role("link", name="Continue").click()
    done = 0
    page.get_by_role("button", name="Next task").click()
    task = page.locator("form#task")
    expect(task).to_be_visible()
    while task.count():  # after each task the next one opens
        before = page.url
        way(page, opinion(number))
        submit(page)
        page.wait_for_url(lambda url, before=before: url != before)
        expect(page.locator("main")).to_contain_text("this task pays")
        done += 1
    return done


def fail_the_test(open_rater: Opened) -> None:
    page = join(open_rater, "careless", viewport=DESKTOP)
    by_mouse(page, wrong)
    submit(page)
    page.get_by_role("button", name="Try again").click()
    by_mouse(page, wrong)
    submit(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("You did not pass the test")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


def settle_and_freeze(page: Page) -> str:
    """Filter, undo, settle the widest split at 4, freeze; the settled candidate's id."""
    page.goto("/studies/kettles/quality/")
    page.get_by_label("Threshold").fill("1")
    page.get_by_label("Max. removed per candidate").fill("1")
    page.get_by_role("button", name="Add step").click()
    expect(page.locator(".note.real")).to_contain_text("shuffled")
    page.get_by_role("button", name="Undo step 1").click()
    expect(page.locator(".note.real")).to_have_count(0)
    page.get_by_role("link", name="Adjudication", exact=True).click()
    card = page.locator("ol.splits > li").first
    key = card.locator(".key-small").inner_text()
    card.get_by_role("radio", name="4").check()
    card.get_by_label("Note").fill("the passage says so")
    card.get_by_role("button", name="Set value").click()
    freeze_to(page, "kettles")
    return key


def test_a_study_from_a_file_through_five_raters_to_a_leaderboard(
    transactional_db: None,
    tmp_path: Path,
    open_page: Callable[..., Page],
    open_rater: Opened,
) -> None:
    User.objects.create_user("sam", password=PASSWORD, is_staff=True)
    page = open_page("/studies/", viewport=DESKTOP)
    make_study(page, tmp_path)
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    ways: list[tuple[Callable[[Page, Value], None], dict[str, object]]] = [
        (by_mouse, {"viewport": DESKTOP}),
        (by_keys, {"viewport": DESKTOP}),
        (by_touch, phone),
        (offline, {"viewport": DESKTOP}),
        (with_a_reload, {"viewport": DESKTOP}),
    ]
    tasks = set()
    for number, (way, options) in enumerate(ways):
        tasks.add(take_part(join(open_rater, f"rater{number}", **options), number, way))
    fail_the_test(open_rater)
    study = Study.objects.get(slug="kettles")
    trial = study.stages.get(kind="trial")
    assert tasks == {trial.hits.count()}
    assert not trial.hits.filter(open_slots__gt=0).exists()
    qualified = study.participations.values_list("qualified", flat=True)
    assert sorted(qualified) == [
        Participation.Qualified.FAILED,
        *[Participation.Qualified.PASSED] * 5,
    ]

    key = settle_and_freeze(page)
    page.get_by_role("link", name="Metrics", exact=True).first.click()
    assert "/sets/kettles@1/leaderboard/" in page.url
    made = JudgmentSet.objects.get()
    assert made.candidates.get(key=key).gold == 4
    assert made.statistics["ratings"] >= 5 * 6
    assert made.statistics["simulated_ratings"] == 0
