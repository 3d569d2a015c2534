"""From a file to a link that a rater can open: in six screens and 25 clicks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect

from annotation.studies.models import CandidateImport, Study
from annotation.studies.services import candidate_imports
from tests.browser import keyboard
from tests.browser.accessibility import DESKTOP
from tests.browser.conftest import PASSWORD
from tests.browser.test_new_user import spreadsheet

pytestmark = pytest.mark.browser

MAX_SCREENS, MAX_CLICKS = 6, 25


class Walk:
    """A person at a page, by mouse or by keyboard. Counts the screens seen, and the presses on
    something; of the keyboard those by Tab are not counted."""

    def __init__(self, page: Page, *, by_keyboard: bool) -> None:
        self.page = page
        self.by_keyboard = by_keyboard
        self.clicks = 0
        self.screens: list[str] = []
        page.on("framenavigated", self._see)

    def _see(self, frame: object) -> None:
        path = urlsplit(self.page.url).path
        if frame == self.page.main_frame and path not in self.screens:
            self.screens.append(path)

    def press(self, target: Locator) -> None:
        self.clicks += 1
        if self.by_keyboard:
            keyboard.press(self.page, target)
        else:
            target.click()

    def write(self, target: Locator, text: str) -> None:
        if self.by_keyboard:
            keyboard.write(self.page, target, text)
        else:
            self.press(target)
            target.press_sequentially(text)

    def attach(self, target: Locator, file: Path) -> None:
        """Choose a file, as by one click or key on its field."""
        self.clicks += 1
        if self.by_keyboard:
            keyboard.go_to(self.page, target)
        target.set_input_files(file)


@pytest.mark.parametrize("by_keyboard", [False, True], ids=["mouse", "keyboard"])
def test_a_file_becomes_a_link_for_raters_in_six_screens(
    transactional_db: None, tmp_path: Path, open_page: Callable[..., Page], by_keyboard: bool
) -> None:
    User.objects.create_user("nora", password=PASSWORD, is_staff=True)
    page = open_page("/sign-in/", viewport=DESKTOP, reduced_motion="reduce")
    page.get_by_label("Name").fill("nora")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Create a study")).to_be_visible()
    walk = Walk(page, by_keyboard=by_keyboard)
    walk.screens = [urlsplit(page.url).path]

    walk.press(page.get_by_role("link", name="Create a study"))
    walk.write(page.get_by_label("Title"), "Kettles and ovens")
    walk.attach(page.get_by_label("File of answers"), spreadsheet(tmp_path))
    walk.press(page.get_by_role("button", name="Create study and continue", exact=True).last)
    expect(page.get_by_text("Ignored: Nr")).to_be_visible()
    expect(page.locator(".cost-line")).to_contain_text("an example until answers are uploaded")
    walk.press(page.get_by_role("button", name="Add to study"))
    expect(page.get_by_text("waiting for a worker")).to_be_visible()
    candidate_imports.IMPORTS.perform(CandidateImport.objects.get().pk)
    expect(page.get_by_text("answers.xlsx: 12 added.")).to_be_visible()
    expect(page.locator(".cost-line")).to_contain_text("36 ratings of 12 candidates")
    walk.press(page.get_by_role("button", name="Save and continue"))
    walk.press(page.get_by_role("button", name="Open the full stage"))
    invitation = page.locator("code", has_text="/rate/").first.inner_text()

    assert Study.objects.get().slug == "kettles-and-ovens"
    assert len(walk.screens) <= MAX_SCREENS, walk.screens
    assert walk.clicks <= MAX_CLICKS, walk.clicks
    print(f"{len(walk.screens)} screens, {walk.clicks} clicks: {walk.screens}")
    rater = open_page(invitation)
    expect(rater.get_by_role("button", name="Open my page")).to_be_visible()
