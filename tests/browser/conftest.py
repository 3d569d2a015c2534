"""A real Chromium and a real server. CHROMIUM can name another browser than Debian's."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)
from pytest_django.live_server_helper import LiveServer

from tests.benchmarks.factories import add_member
from tests.benchmarks.scenes import Scene, make_scene

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Quiet: nothing of the browser's own goes out to the network.
ARGUMENTS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PASSWORD = "open sesame 77"
# Ends a hang; what a page does for a person takes a second here.
HANG_MS = 120_000
expect.set_options(timeout=HANG_MS)
Opened = Callable[..., Page]


def chromium() -> str:
    """The path of a Chromium; fails the tests with what to install when there is none."""
    for name in (os.environ.get("CHROMIUM", ""), *NAMES):
        path = shutil.which(name) if name else None
        if path:
            return path
    pytest.fail(
        "The browser tests need Chromium: install the package 'chromium' (apt-get install "
        "chromium), or set CHROMIUM to its path.",
        pytrace=False,
    )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    arguments = [*ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium(), args=arguments)
        yield opened
        opened.close()


@pytest.fixture
def scene(transactional_db: None) -> Scene:
    sam = User.objects.create_user("sam", password=PASSWORD, is_staff=True)
    for name in ("small", "ranked"):
        add_member(name, sam)
    return make_scene()


@pytest.fixture
def open_page(browser: Browser, live_server: LiveServer) -> Iterator[Callable[..., Page]]:
    """Open a page in a fresh profile; whatever the browser complains of fails the test."""
    complaints: list[str] = []
    contexts = []

    def opened(path: str = "/", **options: object) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(HANG_MS)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: complaints.append(said.text) if is_complaint(said) else None,
        )
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def is_complaint(message: ConsoleMessage) -> bool:
    """An error in the console; but a form sent back with its faults (422) is an answer."""
    return message.type == "error" and "status of 422" not in message.text


def sign_in(page: Page) -> None:
    page.get_by_label("Name").fill("sam")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


@pytest.fixture
def open_rater(browser: Browser, live_server: LiveServer) -> Iterator[Opened]:
    """Open a page in a fresh profile. Complaints fail the test, but for those about answers that
    a test brings about: a network that is away, a refusal."""
    complaints: list[str] = []
    contexts: list[BrowserContext] = []

    def hear(page: Page) -> None:
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text)
                if said.type == "error" and not said.text.startswith("Failed to load resource")
                else None
            ),
        )

    def opened(path: str, **options: Any) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        context.set_default_timeout(HANG_MS)
        context.on("page", hear)
        page = context.new_page()
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        names = {cookie.get("name", "") for cookie in context.cookies()}
        # Only that of the button on the open link.
        assert all(name.startswith("rater-of-study-") for name in names), names
        for page in context.pages:  # what is still being saved needs the test's database
            expect(page.locator("#save-state", has_text="Saving")).to_have_count(0)
        context.close()
    assert complaints == []


def saved(page: Page) -> None:
    """Wait until the rating page says that everything is saved."""
    expect(page.locator("#save-state")).to_have_text("Saved")
