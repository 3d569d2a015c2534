"""The report of a set from its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.boards.services import report
from benchmarks.boards.services.boards import read_board
from benchmarks.sets.services import hidden
from concord.sentences import decimal
from tests.benchmarks.factories import make_set, score_here
from tests.html import readable

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("usual_draws")
def test_the_report_has_the_figures_of_the_sets_pages(tmp_path: Path, visitor: Client) -> None:
    judgment_set = make_set(tmp_path, pairs=4, instances=12, systems=("a", "b", "c"))
    score_here(judgment_set, "token-f1,rouge-l")
    early = readable(visitor.get("/sets/small/report.html"))
    assert "comparison of the metrics (it is not computed yet" in early
    board = read_board(judgment_set)  # computes the comparison
    raters = analyses.find_or_compute("raters", judgment_set, {})
    response = visitor.get("/sets/small/report.html")
    assert "small-v1-report.html" in response["Content-Disposition"]
    page = readable(response)
    assert raters is not None and decimal(raters.result["raters"][0]["alpha"]) in page
    for row in board.rows:
        assert row["standing"] is not None and decimal(row["pearson"]["value"]) in page
        assert " to ".join(map(decimal, row["standing"]["ci"])) in page
    titles = re.findall("<h2[^>]*>(.*?)</h2>", page)
    assert "Comparison of the metrics" in titles and "Minimal pairs" in titles
    assert judgment_set.content_hash in page and "<script" not in page


def test_a_set_with_hidden_labels_has_no_report(
    tmp_path: Path, visitor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    judgment_set = make_set(tmp_path)
    assert "report.html" in readable(visitor.get("/sets/small/files/"))
    hidden.hide(judgment_set, "test", at=now())
    assert visitor.get("/sets/small/report.html").status_code == 404
    assert "report.html" not in readable(visitor.get("/sets/small/files/"))
    monkeypatch.setattr(report, "MAX_CANDIDATES", 3)
    assert "more than 3 candidates" in report.why_refused(judgment_set)
