"""The tutorials of the documentation, run from beginning to end as they are written."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils.timezone import now
from pytest_django.live_server_helper import LiveServer

from core.accounts import tokens
from tests.conftest import shared_settings
from tests.core.rest.people import person
from tests.docs.tutorial_runner import TutorialRunner

TUTORIALS = settings.BASE_DIR / "docs" / "tutorials"
#: What a tutorial's reader has in the folder of the checkout.
CHECKOUT = ("manage.py", "benchmarks", "concord")


@pytest.fixture
def runner(
    live_server: LiveServer,
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> TutorialRunner:
    """A terminal in a folder like a checkout, with the site running and a token at hand."""
    researcher = person("ruth", is_staff=True)
    ends = now() + timedelta(days=1)
    token = tokens.make(researcher, "tutorial", tokens.SCOPES, expires_at=ends, at=now())[1]
    for name in CHECKOUT:
        (tmp_path / name).symlink_to(settings.BASE_DIR / name)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONCORD_URL", live_server.url)
    monkeypatch.setenv("CONCORD_TOKEN", token)
    return TutorialRunner(
        tmp_path,
        shared_settings(database_url)
        | {"PYTHONPATH": str(settings.BASE_DIR), "COLUMNS": "120", "SITE": live_server.url},
    )


def test_every_tutorial_is_run_here() -> None:
    pages = {path.stem for path in TUTORIALS.glob("*.md")} - {"index"}
    by_pages = {"first-study"}  # tests/browser/test_ten_minutes.py
    by_program = {"first-board", "study-in-python", "panel", "own-metric", "train-a-metric"}
    by_notebook = {"notebook"}  # tests/docs/test_notebook.py
    assert pages == by_pages | by_program | by_notebook


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["first-board", "own-metric", "train-a-metric"])
def test_a_tutorial_without_a_site_does_what_it_says(runner: TutorialRunner, name: str) -> None:
    runner.run(TUTORIALS / f"{name}.md")


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["study-in-python", "panel"])
def test_a_tutorial_with_a_site_does_what_it_says(
    runner: TutorialRunner, worker: Any, name: str
) -> None:
    worker.start("--queues", "light")
    runner.run(TUTORIALS / f"{name}.md")
