"""`python -m docs.screenshots`: take the documentation's pictures anew, into docs/images.

Starts a site of its own in a temporary folder, as `make run` does, with the demo set scored; has
simulated raters rate most of a small study; and photographs pages on two screens in two colour
schemes. Takes some minutes, most of them for the scoring. Needs Chromium, as `make test` does.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from concord.client import Client

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
DEMO = ROOT / "concord" / "demo" / "judgments.jsonl"
QUALITY = 70
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SCREENS = {
    "desktop": {"width": 1180, "height": 760},
    "phone": {"width": 390, "height": 760},
}
SCHEMES = ("light", "dark")
STUDY = "short-answers"
TOKEN_CODE = """
from datetime import timedelta
from django.contrib.auth.models import User
from django.utils.timezone import now
from core.accounts import tokens
user, ends = User.objects.get(username="admin"), now() + timedelta(days=1)
print(tokens.make(user, "pictures", tokens.SCOPES, expires_at=ends, at=now())[1])
"""
PROTOCOL = {
    "scale": [
        {"value": 1, "label": "wrong"},
        {"value": 2, "label": "mostly wrong"},
        {"value": 3, "label": "half right"},
        {"value": 4, "label": "mostly right"},
        {"value": 5, "label": "right"},
    ],
    "question": "How well does the answer answer the question?",
    "rating_rules": [{"ratings": 3}],
    "hit": {"max_candidates": 4, "same_passage": True},
}


@dataclass(frozen=True)
class Site:
    """A running site with its folder, and the administrator's password."""

    url: str
    password: str
    environment: dict[str, str]

    def manage(self, *arguments: str) -> str:
        """Run a management command and return its output."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True
        )
        return done.stdout


@contextmanager
def running_site() -> Iterator[Site]:
    """`manage.py run` in a temporary folder, from when it serves until the end."""
    with tempfile.TemporaryDirectory() as folder:
        removed = ("DATABASE_URL", "BROKER_URL")
        environment = {name: value for name, value in os.environ.items() if name not in removed}
        environment |= {"CONCORD_VAR": f"{folder}/var", "PORT": "8300", "PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(
            [sys.executable, "manage.py", "run"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            output = ""
            for line in process.stdout or ():
                output += line
                if "Press Ctrl-C" in line:
                    match = re.search(r"with the password (\S+)\.", output)
                    url = re.search(r"Concord is at (\S+)", output)
                    assert url is not None and match is not None
                    yield Site(url[1], match[1], environment)
                    return
            raise SystemExit(f"the site did not start:\n{output}")
        finally:
            process.terminate()
            process.wait(120)


def make_study(site: Site) -> None:
    """A study of the demo set's first candidates, rated in part by simulated raters."""
    token = site.manage("shell", "-v", "0", "--no-imports", "-c", TOKEN_CODE).strip()
    rows = [json.loads(line) for line in DEMO.read_text().splitlines()[:32]]
    with tempfile.TemporaryDirectory() as folder, Client(site.url, token) as client:
        file = Path(folder) / "candidates.jsonl"
        for row in rows:
            del row["score"], row["ratings"]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        study = client.create_study(STUDY, "Short answers", protocol=PROTOCOL, seed=1)
        client.wait(client.upload_candidates(study, file))
        client.open_stage(study, "full")
    site.manage("simulate_crowd", STUDY, "--workers", "9", "--limit", "18", "--seed", "3")


def photograph_set_up(page: Page, url: str, suffix: str) -> None:
    """The set-up of the tutorial's study, from the form to the link for raters."""
    page.goto(f"{url}/studies/new/")
    page.get_by_label("Title").fill("Ferries and harbours")
    page.get_by_label("Question to raters").fill("Is the answer right?")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answers.csv"
        file.write_text(tutorial_file())
        page.get_by_label("File of answers").set_input_files(file)
        page.locator("#rater-preview iframe").wait_for()
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        photograph(page, f"new-study-{suffix}")
        page.get_by_role("button", name="Create study and continue", exact=True).last.click()
        page.get_by_role("button", name="Add to study").wait_for()
    photograph(page, f"check-file-{suffix}")
    page.get_by_role("button", name="Add to study").click()
    page.get_by_role("button", name="Save and continue").click(timeout=120_000)
    page.get_by_role("button", name="Open the full stage").click()
    page.get_by_text("Invite raters with this link").wait_for()
    photograph(page, f"open-stage-{suffix}")


def tutorial_file() -> str:
    """The table that the tutorial shows."""
    text = (ROOT / "docs" / "tutorials" / "first-study.md").read_text()
    match = re.search(r"```text\n(question,.*?)```", text, re.DOTALL)
    assert match is not None
    return match[1]


def open_judges(browser: Browser, site: Site) -> str:
    """Have the demo set's judges tested; the address of their page."""
    page = sign_in(browser.new_context(), site)
    page.goto(f"{site.url}/sets/demo/judges/?epsilon=0.15")
    compute = page.get_by_role("button", name="Compute")
    if compute.count():  # a short analysis starts when the page is opened
        compute.click()
    page.get_by_role("table").first.wait_for(timeout=600_000)
    address = page.url
    page.context.close()
    return address


def sign_in(context: BrowserContext, site: Site) -> Page:
    """A page on which the administrator is signed in."""
    page = context.new_page()
    page.goto(f"{site.url}/sign-in/")
    page.locator("input[name=username]").fill("admin")
    page.locator("input[name=password]").fill(site.password)
    page.locator("main button").first.click()
    page.wait_for_url(lambda url: "sign-in" not in url)
    return page


def open_task(browser: Browser, site: Site) -> str:
    """Join the study as a rater and take a task; its address."""
    page = browser.new_page()
    page.goto(f"{site.url}/rate/join/{STUDY}/?worker=picture")
    for _ in range(3):
        if page.locator(".card").count():
            break
        page.locator("main form button").first.click()
        page.wait_for_load_state()
    page.locator(".card").first.wait_for()
    address = page.url
    page.close()
    return address


def photograph(page: Page, name: str) -> None:
    """What the window shows, as WebP."""
    session = page.context.new_cdp_session(page)
    options = {"format": "webp", "quality": QUALITY}
    image = session.send("Page.captureScreenshot", options)["data"]
    (IMAGES / f"{name}.webp").write_bytes(base64.b64decode(image))


def main() -> None:
    with running_site() as site, sync_playwright() as playwright:
        make_study(site)
        browser = playwright.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, BROWSERS))),
            args=["--no-sandbox"] if os.geteuid() == 0 else [],
        )
        addresses = {
            "board": f"{site.url}/sets/demo/leaderboard/",
            "rating": open_task(browser, site),
            "quality": f"{site.url}/studies/{STUDY}/quality/",
            "pairs": f"{site.url}/sets/demo/pairs/",
            "judges": open_judges(browser, site),
        }
        for scheme, (screen, viewport) in product(SCHEMES, SCREENS.items()):
            context = browser.new_context(
                viewport=viewport,  # type: ignore[arg-type]
                color_scheme=scheme,  # type: ignore[arg-type]
            )
            page = sign_in(context, site)
            for name, address in addresses.items():
                page.goto(address)
                page.get_by_text("being computed").first.wait_for(state="detached", timeout=300_000)
                if name == "rating":
                    page.locator(".card").first.evaluate("card => card.scrollIntoView()")
                photograph(page, f"{name}-{scheme}-{screen}")
            if screen == "desktop":
                photograph_set_up(page, site.url, f"{scheme}-{screen}")
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
