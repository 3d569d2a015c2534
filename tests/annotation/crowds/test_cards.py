"""The crowds to choose from, and what a crowd that is not configured needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.crowds.views.study import crowd_cards
from tests.annotation.crowds import scenes
from tests.html import readable

KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


@pytest.fixture
def unset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any) -> None:
    """A site without credentials."""
    for name in (*KEYS, "AWS_PROFILE", "PROLIFIC_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "BOTO_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    settings.OUTGOING_ALLOWED_HOSTS = []


def missing() -> dict[str, set[str]]:
    return {card.provider.name: set(card.missing) for card in crowd_cards()}


@pytest.mark.django_db
def test_a_crowd_needs_its_settings(
    unset: None, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    needed = {"prolific": {"PROLIFIC_TOKEN"}, "mturk": {*KEYS, "OUTGOING_ALLOWED_HOSTS"}}
    assert missing() == {"link": set()} | needed
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "half a key")
    assert missing()["mturk"] == needed["mturk"]
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "the other half")
    monkeypatch.setenv("PROLIFIC_TOKEN", "a token")
    settings.OUTGOING_ALLOWED_HOSTS = ["127.0.0.1:8008"]
    assert not any(missing().values())


@pytest.mark.django_db
def test_the_page_names_the_settings_and_the_documentation(unset: None) -> None:
    client = Client()
    client.force_login(scenes.researcher())
    study = scenes.make_study(1)
    page = readable(client.get(reverse("study-crowd", args=[study.slug])))
    for name in ("PROLIFIC_TOKEN", *KEYS, "OUTGOING_ALLOWED_HOSTS"):
        assert f"<code>{name}</code>" in page
    guide = (Path(__file__).parents[3] / "docs/how-to/crowds.md").read_text()
    headings = [line[3:] for line in guide.splitlines() if line.startswith("## ")]
    sections = {heading.lower().replace("'", "-").replace(" ", "-") for heading in headings}
    for card in crowd_cards():
        assert card.documentation in page and card.provider.section in sections
        assert card.provider.summary.replace("'", "&#x27;") in page
