"""What a newcomer needs of a set, by mouse and by keyboard: clicks and screens are counted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now
from playwright.sync_api import Locator, Page, expect

from benchmarks.analyses import services as analyses
from benchmarks.analyses.models import Analysis
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import importing, publishing
from concord import demo
from concord.formats import ReadOptions, read_judgments
from tests.benchmarks.factories import candidate_lines, score_here, write_lines
from tests.browser.accessibility import DESKTOP
from tests.browser.conftest import PASSWORD, sign_in
from tests.browser.keyboard import press, write

pytestmark = pytest.mark.browser


class Walk:
    """Uses a page by the mouse or by the keyboard alone, and counts. screens: pages that were
    loaded, the first one among them."""

    def __init__(self, page: Page, *, by_keyboard: bool) -> None:
        self.page, self.by_keyboard = page, by_keyboard
        self.actions, self.screens = 0, 1
        page.on("load", self._count)

    def _count(self, _: Page) -> None:
        self.screens += 1

    def use(self, target: Locator) -> None:
        """Click on a link or button, or press Enter on it."""
        self.actions += 1
        if self.by_keyboard:
            press(self.page, target)
        else:
            target.click()

    def fill(self, target: Locator, text: str) -> None:
        self.actions += 1
        if self.by_keyboard:
            write(self.page, target, text)
        else:
            target.fill(text)

    def link(self, name: str) -> None:
        self.use(self.page.get_by_role("link", name=name, exact=True).first)


@pytest.fixture(params=["mouse", "keyboard"])
def walk(request: pytest.FixtureRequest, open_page: Callable[..., Page]) -> Callable[[str], Walk]:
    def start(path: str) -> Walk:
        page = open_page(path, viewport=DESKTOP, reduced_motion="reduce")
        return Walk(page, by_keyboard=request.param == "keyboard")

    return start


def demo_set(folder: Path) -> JudgmentSet:
    path = write_lines(folder / "demo.jsonl", candidate_lines(12, ("a", "b", "c")))
    judgments = read_judgments([path], "concord", ReadOptions())
    made = importing.import_judgments(
        demo.SET_NAME,
        judgments,
        info=importing.SetInfo(title="Demo", illustrative=True),
        at=now(),
    )
    publishing.publish(made, at=now())
    score_here(made, "token-f1,rouge-l,bleu-1")
    return made


def perform_all(page: Page) -> None:
    """Compute what the page waits for, until it has been replaced for the last time."""
    for analysis in Analysis.objects.filter(status=Analysis.Status.QUEUED):
        analyses.ANALYSES.perform(analysis.pk)
    expect(page.locator("[hx-trigger^=every]")).to_have_count(0)


def test_a_visitor_goes_from_home_to_what_a_metric_may_be_used_for(
    transactional_db: None, tmp_path: Path, walk: Callable[[str], Walk]
) -> None:
    demo_set(tmp_path)
    walking = walk("/")
    page = walking.page
    walking.link("Which metric agrees with people?")
    expect(page.get_by_role("region", name="Leaderboard")).to_be_visible()
    walking.link("demo@1")
    expect(page.locator("#finding-agreement")).to_contain_text("Krippendorff's alpha")
    expect(page.locator("#finding-metrics")).to_contain_text("of 3 metrics")
    walking.use(page.locator("#finding-judges .evidence").first)
    expect(page.get_by_role("heading", level=1)).to_have_text("May a metric stand in for a rater?")
    perform_all(page)
    walking.link("token-f1")
    expect(page.get_by_role("heading", level=1)).to_contain_text("token-f1 as a judge")
    assert walking.actions <= 4 and walking.screens <= 5
    # A visitor starts nothing: somebody with an account has opened the page before.
    member = Client()
    member.force_login(User.objects.create_user("vera"))
    member.get(urlsplit(page.url).path)
    perform_all(page)
    page.reload()
    expect(page.get_by_role("status").first).to_contain_text("token-f1")


def test_a_judges_owner_goes_from_a_file_of_labels_to_a_verdict(
    transactional_db: None, tmp_path: Path, walk: Callable[[str], Walk]
) -> None:
    User.objects.create_user("sam", password=PASSWORD)
    made = demo_set(tmp_path)
    lines = [{"labels": ["wrong", "right"]}]
    for candidate in made.candidates.all():
        lines.append({"id": candidate.key, "label": "right" if candidate.gold > 3 else "wrong"})
    file = tmp_path / "labels.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    walking = walk("/sign-in/?next=/sets/demo/")
    page = walking.page
    sign_in(page)
    walking.actions += 3
    walking.link("Judges")
    walking.link("Submit its answers")
    walking.fill(page.get_by_label("Name", exact=True), "my-judge")
    page.get_by_label("File of answers").set_input_files(file)
    walking.actions += 1
    walking.use(page.get_by_role("button", name="Submit", exact=True))
    walking.link("as a judge")
    expect(page.get_by_role("heading", level=1)).to_contain_text("my-judge as a judge")
    perform_all(page)
    expect(page.locator(".note strong").first).to_contain_text(
        re.compile(r"Here .*my-judge may stand in for a rater")
    )
    assert walking.actions <= 9 and walking.screens <= 6
