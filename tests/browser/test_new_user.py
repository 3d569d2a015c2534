"""A new researcher, by the keyboard alone: from a spreadsheet to a set, its export and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from openpyxl import Workbook
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.studies.models import CandidateImport
from annotation.studies.services import candidate_imports
from benchmarks.freezing import services as freezing
from benchmarks.freezing.models import Freezing
from benchmarks.imports import services as imports
from benchmarks.imports.models import SetImport
from benchmarks.sets.models import JudgmentSet
from tests.benchmarks.factories import score_here
from tests.browser.accessibility import DESKTOP
from tests.browser.conftest import PASSWORD
from tests.browser.keyboard import choose, go_to, press, write

pytestmark = pytest.mark.browser


def link(page: Page, name: str) -> None:
    press(page, page.get_by_role("link", name=name, exact=True).first)


def button(page: Page, name: str) -> None:
    press(page, page.get_by_role("button", name=name, exact=True))


def spreadsheet(folder: Path) -> Path:
    """Answers of two systems to six questions, under headings of a laboratory's own."""
    book = Workbook()
    sheet = book.active
    sheet.append(["Nr", "Text", "Query", "Gold answer", "Model output", "Model"])
    for number in range(6):
        for system in ("baseline", "retrieval"):
            answer = f"a kettle {number}" if system == "retrieval" else f"the oven {number}"
            sheet.append(
                [
                    f"{number}-{system}",
                    f"Mira put kettle {number} on the stove.",
                    "What did she put there?",
                    f"kettle {number}",
                    answer,
                    system,
                ]
            )
    path = folder / "answers.xlsx"
    book.save(path)
    return path


def sign_in(page: Page) -> None:
    link(page, "Sign in")
    write(page, page.get_by_label("Name"), "nora")
    write(page, page.get_by_label("Password"), PASSWORD)
    page.keyboard.press("Enter")


def set_up(page: Page, folder: Path) -> None:
    """The study `kettles` by the steps of the set-up, its only stage open."""
    link(page, "Create a study")
    write(page, page.get_by_label("Title"), "Kettles")
    write(page, page.get_by_label("Short name"), "kettles")
    write(page, page.get_by_label("Question to raters"), "Is the answer right?")
    button(page, "Create study and continue")
    expect(page.get_by_text("Step 2 of 4")).to_be_visible()
    file = page.locator("input[type=file]")
    go_to(page, file)
    file.set_input_files(spreadsheet(folder))
    button(page, "Upload")
    link(page, "Choose the columns again")
    for heading, meaning in (("Query", "question"), ("Gold answer", "reference")):
        expect(page.get_by_label(heading)).to_have_value(meaning)
    expect(page.get_by_label("Model output")).to_have_value("candidate")
    choose(page, page.get_by_label("Nr"), "Id")
    button(page, "Show contents")
    button(page, "Add to study")
    expect(page.get_by_text("waiting for a worker")).to_be_visible()
    candidate_imports.IMPORTS.perform(CandidateImport.objects.get().pk)
    expect(page.get_by_text("answers.xlsx: 12 added.")).to_be_visible()
    button(page, "Save and continue")
    expect(page.get_by_text("Step 4 of 4")).to_be_visible()
    open_stage(page)


def open_stage(page: Page) -> None:
    button(page, "Open the full stage")
    expect(page.get_by_text("The full stage is open with 6 HITs.")).to_be_visible()


def simulate_in_a_copy(page: Page) -> None:
    """The monitor of the copy shows the simulated raters without being loaded again."""
    link(page, "Settings")
    button(page, "Copy the study")
    link(page, "Collect")
    open_stage(page)
    link(page, "Monitor and pause")
    expect(page.get_by_text("0 of 18 assignments submitted")).to_be_visible()
    refresh = page.get_by_role("link", name="Refresh")
    go_to(page, refresh)
    call_command("simulate_crowd", "kettles-copy", workers=6)
    expect(page.get_by_text("18 of 18 assignments submitted")).to_be_visible()
    expect(page.get_by_role("region", name="Raters").get_by_text("simulated")).to_have_count(6)
    expect(refresh).to_be_focused()
    link(page, "Stages")
    button(page, "Close the full stage")


def filter_and_freeze(page: Page) -> JudgmentSet:
    link(page, "Check, filter, adjudicate")
    write(page, page.get_by_label("Threshold"), "1")
    write(page, page.get_by_label("Max. removed per candidate"), "1")
    button(page, "Add step")
    expect(page.locator(".note.real")).to_contain_text("shuffled")
    link(page, "Freeze")
    button(page, "Freeze to kettles-copy")
    expect(page.get_by_text("waiting for a worker")).to_be_visible()
    freezing.FREEZINGS.perform(Freezing.objects.get().pk)
    expect(page.get_by_text("kettles-copy@1 is frozen")).to_be_visible()
    expect(page.get_by_text("simulated ratings: not the judgments of people")).to_be_visible()
    return JudgmentSet.objects.get()


def look_at(page: Page, frozen: JudgmentSet) -> None:
    """From the set's page: a metric, the leaderboard, the answers and their search."""
    link(page, "Metric runs")
    press(page, page.locator("input[name=metrics][value=token-f1]"), "Space")
    button(page, "Start")
    expect(page.get_by_text("1 of 1 metric queued")).to_be_visible()
    score_here(frozen, "token-f1")
    link(page, "Metrics")
    expect(page.locator("table.board tbody a.strong")).to_have_text("token-f1")
    link(page, "Set")
    link(page, "Data")
    write(page, page.get_by_label("Search", exact=True), "kettle 4")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 question with a matching answer")).to_be_visible()
    expect(page.locator("main")).to_contain_text("a kettle 4")


def export_and_import(page: Page, archive: Path) -> None:
    """From a page of the set to `kettles-back`, made from the set's dataset folder."""
    link(page, "Files")
    with page.expect_download() as download:
        button(page, "Download the dataset folder")
    download.value.save_as(archive)
    link(page, "Judgment sets")
    link(page, "Import judgments")
    file = page.get_by_label("Files of judgments")
    go_to(page, file)
    file.set_input_files(archive)
    write(page, page.get_by_label("Name"), "kettles-back")
    button(page, "Import")
    expect(page.locator("#import")).to_contain_text("queued")
    imports.SET_IMPORTS.perform(SetImport.objects.get().pk)
    expect(page.get_by_text("kettles-back@1 is imported.")).to_be_visible()


def test_a_new_user_goes_from_a_spreadsheet_to_an_export_and_back_by_keyboard(
    transactional_db: None,
    tmp_path: Path,
    open_page: Callable[..., Page],
    live_server: LiveServer,
) -> None:
    User.objects.create_user("nora", password=PASSWORD, is_staff=True)
    page = open_page("/", viewport=DESKTOP, reduced_motion="reduce")
    sign_in(page)
    set_up(page, tmp_path)
    simulate_in_a_copy(page)
    frozen = filter_and_freeze(page)
    assert 24 <= frozen.statistics["ratings"] < 36
    look_at(page, frozen)
    export_and_import(page, tmp_path / "folder.zip")
    # The same content, and the same warning, though nobody repeated it.
    link(page, "Files")
    expect(page.get_by_text(frozen.content_hash)).to_be_visible()
    expect(page.get_by_text("simulated ratings: not the judgments of people")).to_be_visible()
