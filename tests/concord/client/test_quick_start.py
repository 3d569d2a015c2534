"""The quick start of the client in the documentation, line by line, against a live server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from pytest_django.live_server_helper import LiveServer

from benchmarks.sets.models import JudgmentSet

PAGE = settings.BASE_DIR / "docs" / "how-to" / "use-the-api.md"


def lines_of_the_quick_start() -> list[str]:
    text = PAGE.read_text()
    result = re.search(r"^## From a program\n.*?^```python\n(.*?)^```$", text, re.M | re.S)
    assert result, "the page has no quick start of the client"
    return result[1].splitlines()


def test_the_quick_start_does_what_it_says_line_by_line(
    live_server: LiveServer,
    token: str,
    worker: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    worker.start("--queues", "light")
    (tmp_path / "concord").symlink_to(settings.BASE_DIR / "concord")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONCORD_URL", live_server.url)
    monkeypatch.setenv("CONCORD_TOKEN", token)
    space: dict[str, Any] = {}
    for line in lines_of_the_quick_start():
        exec(compile(line, PAGE.name, "exec"), space)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "{'bleu-1': 'complete', 'rouge-l': 'complete', 'chrf': 'complete'}"
    assert lines[2] == "['my-answers@2', 'my-answers@1']"
    first, second = JudgmentSet.objects.order_by("version")
    assert first.content_hash == second.content_hash
    assert {row["metric"] for row in space["board"].rows} == {"bleu-1", "rouge-l", "chrf"}
