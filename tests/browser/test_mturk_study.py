"""A KPQA study on Mechanical Turk's API, from its publication to its frozen set, in real browsers.

The site is reached as `localhost` and the platform as `127.0.0.1`: two sites to a browser, so the
rating page stands in a frame of another site and gets no cookies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.request import urlopen

import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now
from playwright.sync_api import Browser, FrameLocator, Page, expect

from annotation.crowds.models import CrowdAssignment, Publication
from annotation.crowds.services import payment_totals, scheduling
from annotation.rating.models import Rating
from benchmarks.sets.models import JudgmentSet
from concord.protocols import RatingRule
from mturk_sandbox import Sandbox
from tests.annotation.crowds.scenes import kpqa, make_study
from tests.annotation.crowds.workers import Turker
from tests.browser.accessibility import DESKTOP, PHONE, SERIOUS, faults
from tests.browser.conftest import HANG_MS, PASSWORD, sign_in
from tests.browser.freezing import freeze_to

pytestmark = pytest.mark.browser
Status = CrowdAssignment.Status
HOUR = 3600


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIALAB")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with Sandbox() as server:
        yield server


def accessible(page: Page, *schemes: str) -> None:
    """axe-core finds nothing on the page, nor does it scroll sideways."""
    size = page.viewport_size or DESKTOP
    screens = [(dict(size), scheme) for scheme in schemes or ("light",)]
    assert faults(page, screens, impacts=("minor", "moderate", *SERIOUS)) == []


class Person:
    """Somebody who works on the platform, at their own browser."""

    def __init__(self, browser: Browser, sandbox: Sandbox, name: str, **options: Any) -> None:
        self.sandbox = sandbox
        self.context = browser.new_context(base_url=sandbox.url, **options)
        self.context.set_default_timeout(HANG_MS)
        self.page = self.context.new_page()
        self.page.goto("/worker/")
        self.page.get_by_label("Worker ID").fill(name)
        self.page.get_by_role("button", name="Start working").click()

    def take_the_test(self, publication: Publication, right: int = 5) -> None:
        """Answer the test, so many of its five items right."""
        self.page.goto(f"/worker/qualifications/{publication.provider_ids['test']}/")
        self.page.get_by_role("button", name="Start the test").click()
        expect(self.page.get_by_role("button", name="Submit the test")).to_be_visible()
        for number, group in enumerate(self.page.locator("form fieldset").all()):
            match = re.search(r"test answer (\d+)", group.inner_text())
            assert match
            key = 1 + int(match[1]) % 5
            value = key if number < right else 1 + key % 5
            group.locator(f"input[value='{value}']").check()
        self.page.get_by_role("button", name="Submit the test").click()

    def preview(self, listing_id: str) -> FrameLocator:
        self.page.goto(f"/worker/hits/{listing_id}/")
        return self.page.frame_locator("iframe")

    def accept(self, listing_id: str) -> FrameLocator:
        """Accept a HIT, and agree in its frame where that is asked."""
        self.preview(listing_id)
        self.page.get_by_role("button", name="Accept", exact=False).first.click()
        frame = self.page.frame_locator("iframe")
        agree = frame.get_by_role("button", name="I agree")
        expect(agree.or_(frame.locator("#next"))).to_be_visible()
        if agree.is_visible():
            agree.click()
        expect(frame.locator("#next")).to_be_visible()
        return frame

    def rate(self, frame: FrameLocator, value: int) -> None:
        for card in frame.locator(".card").all():
            card.locator(f".point:has(input[value='{value}'])").click()
        expect(frame.locator("#save-state")).to_have_text("Saved")

    def submit(self, frame: FrameLocator) -> None:
        frame.get_by_role("button", name="Submit", exact=True).click()

    def do(self, listing_id: str, value: int) -> None:
        frame = self.accept(listing_id)
        self.rate(frame, value)
        self.submit(frame)
        confirmation = self.page.frame_locator("iframe").get_by_text(
            "Your answers have been submitted."
        )
        expect(confirmation).to_be_visible()

    def close(self) -> None:
        """Concord has set no cookie in any browser."""
        assert {one["domain"] for one in self.context.cookies()} <= {"127.0.0.1"}
        self.context.close()


def publish(page: Page, sandbox: Sandbox) -> Publication:
    """By the pages: choose, see the cost, publish."""
    sign_in(page)
    page.goto("/studies/bridges/")
    page.get_by_role("link", name="Collect", exact=True).click()
    page.get_by_role("link", name="Crowd", exact=True).click()
    page.get_by_role("link", name="Mechanical Turk", exact=True).click()
    page.wait_for_url("**/crowd/?provider=mturk#choose")
    accessible(page)
    page.get_by_label("Environment", exact=True).select_option("other")
    page.get_by_label("URL of another service").fill(sandbox.url)
    page.get_by_label("Budget in dollars").fill("2")
    page.get_by_role("button", name="Show cost").click()
    expect(page.get_by_text("Splitting saves $0.20")).to_be_visible()
    accessible(page)
    page.get_by_label("Type 0.80 to publish").fill("0.80")
    page.get_by_role("button", name="Publish for $0.80").click()
    expect(page.get_by_text("Publishing on Mechanical Turk")).to_be_visible()
    publication = Publication.objects.get()
    scheduling.make_calls(publication.pk)
    publication.refresh_from_db()
    assert publication.listings.exclude(provider_id="").count() == 4
    return publication


def those_who_do_not_finish(browser: Browser, sandbox: Sandbox, ids: list[str], at: Any) -> None:
    """One fails the test, one returns, one abandons, one rates and never submits."""
    failed = Person(browser, sandbox, "AFAILED", viewport=DESKTOP)
    failed.take_the_test(at, right=3)
    frame = failed.preview(ids[0])
    expect(frame.get_by_text("Preview.")).to_be_visible()
    assert CrowdAssignment.objects.count() == 0
    failed.page.goto("/worker/")
    expect(failed.page.get_by_text("you do not").first).to_be_visible()
    failed.close()

    returning = Person(browser, sandbox, "ARETURNS", viewport=DESKTOP)
    returning.take_the_test(at, right=4)
    returning.rate(returning.accept(ids[0]), 1)
    returning.page.get_by_role("button", name="Return HIT").click()
    returning.close()

    leaving = Person(browser, sandbox, "AABANDONS", viewport=DESKTOP)
    leaving.take_the_test(at)
    leaving.accept(ids[0])
    leaving.close()

    offline = Person(browser, sandbox, "ANEVER", viewport=DESKTOP)
    offline.take_the_test(at)
    frame = offline.accept(ids[0])
    offline.rate(frame, 2)
    offline.context.route("**/mturk/externalSubmit", lambda route: route.abort())
    offline.submit(frame)
    wait_for(lambda: CrowdAssignment.objects.filter(status=Status.RATED).exists())
    offline.close()


def wait_for(condition: Callable[[], object]) -> None:
    from tests.waiting import wait_for as wait

    wait(condition, 20)


def ten_who_finish(browser: Browser, sandbox: Sandbox, publication: Publication) -> None:
    """Ten workers, each with both HITs: two of them at a browser, the others by what it sends."""
    listings = list(publication.listings.order_by("hit__index", "part"))
    parts = [[one for one in listings if one.part == part] for part in (1, 2)]
    for number in range(10):
        name, own_parts = f"AGOOD{number}", parts[number // 5]
        if number in (0, 5):  # at a desk, and at a phone
            options: dict[str, Any] = (
                {"viewport": PHONE, "has_touch": True} if number else {"viewport": DESKTOP}
            )
            person = Person(browser, sandbox, name, **options)
            person.take_the_test(publication)
            for listing in own_parts:
                person.do(listing.provider_id, 4)
            person.close()
        else:
            turker = Turker(sandbox, name).qualified(publication)
            for listing in own_parts:
                turker.do(listing, 1 if number == 9 else 4 + number % 2)


def review_and_freeze(page: Page, publication: Publication) -> None:
    page.goto("/studies/bridges/crowd/")
    page.get_by_role("button", name="Sync now").click()
    scheduling.sync_publication(publication.pk, at=now())
    page.reload()
    expect(page.get_by_text("1 rated here but not submitted there")).to_be_visible()
    accessible(page)
    page.get_by_role("link", name="Review 20").click()
    page.wait_for_url("**/review/")
    accessible(page)
    page.get_by_role("button", name="Approve complete submissions").click()
    expect(page.get_by_text("20 approvals are queued.")).to_be_visible()
    scheduling.make_calls(publication.pk)
    page.reload()
    first = page.locator("section:has(#decided) li").first
    first.locator("summary").click()
    first.get_by_label("Dollars").fill("0.25")
    first.get_by_label("Reason shown").fill("Careful work")
    first.get_by_role("button", name="Pay bonus").click()
    scheduling.make_calls(publication.pk)
    page.get_by_role("link", name="Payments").first.click()
    page.get_by_role("button", name="Get the platform's totals").click()
    expect(page.locator("p.note")).to_have_text("The totals are equal.")
    page.reload()
    accessible(page)

    page.get_by_role("link", name="Quality", exact=True).click()
    expect(page.locator(".note.real")).to_contain_text("Alpha goes from")
    freeze_to(page, "bridges")


def test_a_kpqa_study_on_mechanical_turk_from_its_hits_to_its_frozen_set(
    transactional_db: None,
    settings: Any,
    sandbox: Sandbox,
    browser: Browser,
    open_page: Callable[..., Page],
) -> None:
    settings.OUTGOING_ALLOWED_HOSTS = [sandbox.url.removeprefix("http://")]
    sam = User.objects.create_user("sam", password=PASSWORD, is_staff=True)
    study = make_study(2, kpqa(rating_rules=(RatingRule(10),)), owner=sam)
    page = open_page("/sign-in/", viewport=DESKTOP)
    publication = publish(page, sandbox)
    ids = list(publication.listings.order_by("pk").values_list("provider_id", flat=True))
    those_who_do_not_finish(browser, sandbox, ids, publication)
    sandbox.advance(HOUR)  # the platform lets what was abandoned go; nobody tells this site
    ten_who_finish(browser, sandbox, publication)
    review_and_freeze(page, publication)

    publication.refresh_from_db()
    both = payment_totals.compare(publication)
    assert both.matches and both.reported is not None
    assert (both.recorded.listings, both.recorded.places, both.recorded.approved) == (4, 20, 20)
    # 20 rewards of 3 cents with a cent's fee each; a bonus of 25 cents with 20%.
    assert (both.recorded.rewards, both.recorded.bonuses, both.recorded.fees) == (60, 25, 20 + 5)
    entries = json.load(urlopen(f"{sandbox.url}/ledger/?format=json"))["entries"]
    spent = {"reward": 0, "bonus": 0, "reward_fee": 0, "bonus_fee": 0}
    for entry in entries:
        if entry["kind"] in spent:
            spent[entry["kind"]] -= entry["available"] + entry["held"]
    assert spent == {"reward": 60, "bonus": 25, "reward_fee": 20, "bonus_fee": 5}
    # What the three who did not finish rated is kept, and counts for nothing.
    counted = Rating.objects.filter(assignment__status="submitted")
    assert counted.count() == 20 and Rating.objects.count() == 22
    assert not study.stages.get(kind="full").hits.filter(open_slots__gt=0).exists()
    made = JudgmentSet.objects.get()
    assert made.statistics["ratings"] < 20  # the z-score filter left some out
