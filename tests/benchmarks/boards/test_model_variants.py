"""Every board says where a metric's model is not the published one."""

from __future__ import annotations

import csv
import io
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.timezone import now

from benchmarks.boards.services import boards
from benchmarks.runs.services import runs, scoring
from benchmarks.sets.models import JudgmentSet
from tests.benchmarks.factories import make_set, published, request
from tests.html import readable

MARK = 'scores. See its model card.">features</span>'


@pytest.fixture
def scored(tmp_path: Path, db: None) -> JudgmentSet:
    """A public set with made-up scores of lerc, as it ships, and of token-f1."""
    judgment_set = published(make_set(tmp_path, pairs=4, systems=("a", "b", "c")))
    rng = np.random.default_rng(1)
    for run in request(judgment_set, "lerc,token-f1"):
        scores = rng.normal(size=run.n_items)
        runs.complete_run(run, scores, scoring.statistics_of(run, scores), at=now())
    return judgment_set


def rows_of(text: str) -> dict[str, dict[str, str]]:
    return {row["metric"]: row for row in csv.DictReader(io.StringIO(text))}


@pytest.mark.parametrize("page", ["leaderboard/", "leaderboard/?details=show", "systems/"])
def test_a_page_marks_the_row_of_lerc(scored: JudgmentSet, client: Client, page: str) -> None:
    boards.read_board(scored)
    text = readable(client.get(f"/sets/small/{page}"))
    assert MARK in text
    assert not text[text.rindex("token-f1</a>") :].startswith(f"token-f1</a> {MARK}")


def test_files_and_the_api_have_the_variant(scored: JudgmentSet, client: Client) -> None:
    table = rows_of(client.get("/sets/small/leaderboard.csv").content.decode())
    assert (table["lerc"]["variant"], table["token-f1"]["variant"]) == ("features", "")
    for url in ("/sets/small/leaderboard.json", "/api/v1/sets/small/leaderboard"):
        rows = {row["metric"]: row for row in client.get(url).json()["rows"]}
        assert (rows["lerc"]["variant"], rows["token-f1"]["variant"]) == ("features", "")
    across = rows_of(client.get("/metrics-by-sets.csv").content.decode())
    assert set(across) == {"lerc (features)", "token-f1"}


def test_commands_have_it_in_the_name(scored: JudgmentSet) -> None:
    out = StringIO()
    call_command("leaderboard", "small", stdout=out)
    assert "lerc (features)" in out.getvalue() and "token-f1 (" not in out.getvalue()
    out = StringIO()
    call_command("comparison", "small", stdout=out)
    assert "lerc (features)" in out.getvalue()
    out = StringIO()
    call_command("leaderboard", "small", "--format", "json", stdout=out)
    rows = {row["metric"]: row for row in json.loads(out.getvalue())["rows"]}
    assert rows["lerc"]["variant"] == "features"
