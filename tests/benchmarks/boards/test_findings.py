"""The first page of a set says what the set shows, in each of its states."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.boards.services import findings
from benchmarks.sets.models import JudgmentSet, Rating
from benchmarks.sets.services import importing
from concord.formats import read_pairs
from tests.benchmarks.factories import judged_pair_lines, make_set, score_here, write_lines
from tests.html import readable

pytestmark = pytest.mark.django_db


def topics(judgment_set: JudgmentSet) -> list[tuple[str, bool]]:
    return [(row["topic"], row["missing"]) for row in findings.find(judgment_set).rows]


def test_nothing_scored(tmp_path: Path, staff: Client) -> None:
    judgment_set = make_set(tmp_path, "small", instances=12, systems=("a", "b"))
    assert topics(judgment_set) == [("agreement", False), ("metrics", True)]
    page = readable(staff.get("/sets/small/"))
    assert "No metric has scored this set yet" in page
    assert "Krippendorff&#x27;s alpha" in page


def test_gold_scores_only(tmp_path: Path, staff: Client) -> None:
    judgment_set = make_set(tmp_path, "gold", instances=12, systems=("a", "b"))
    Rating.objects.all().delete()
    score_here(judgment_set, "token-f1,rouge-l")
    rows = findings.find(judgment_set).rows
    assert "gold scores only" in rows[0]["text"] and rows[0]["missing"]
    assert [row["topic"] for row in rows] == ["agreement", "metrics", "ratings"]


def test_pairs_only(tmp_path: Path, staff: Client) -> None:
    path = write_lines(tmp_path / "pairs.jsonl", judged_pair_lines())
    judgment_set = importing.import_pairs("small", read_pairs([path], "concord"), at=now())
    first, row = findings.find(judgment_set).rows
    assert first["topic"] == "ranking" and first["headline"]["value"] > 0.5
    assert row["evidence"] == "choices" and not row["missing"]
    page = readable(staff.get("/sets/small/"))
    assert "Which system do people prefer?" in page and "<dt>Judged</dt>" not in page
    assert "alpha of people&#x27;s choices" in readable(staff.get("/sets/small/"))


def test_everything(tmp_path: Path, staff: Client, visitor: Client) -> None:
    judgment_set = make_set(tmp_path, "small", instances=12, systems=("a", "b", "c"))
    score_here(judgment_set, "token-f1,rouge-l")
    page = readable(staff.get("/sets/small/"))
    assert "Whether a metric may stand in for a rater is not computed yet" in page
    assert "/sets/small@1/judges/compute" in page
    assert "/judges/compute" not in readable(visitor.get("/sets/small/"))
    analyses.ANALYSES.perform(
        analyses.request_analysis("judges", judgment_set, {"raters": "crowd"}).pk
    )
    assert ("judges", False) in topics(judgment_set)
    answer = visitor.get("/api/v1/sets/small/findings").json()["findings"]
    assert answer == findings.find(judgment_set).rows
