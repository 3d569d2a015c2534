"""The leaderboard page: rows, their order, downloads and number of queries."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now
from pytest_django import DjangoAssertNumQueries

from benchmarks.analyses import services as analyses
from benchmarks.analyses.kind import MAX_SECONDS_IN_PAGE
from benchmarks.analyses.leaderboards import leaderboard
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.services import KINDS
from benchmarks.boards.forms import BoardQueryForm
from benchmarks.boards.services import boards
from benchmarks.boards.views.board_rows import arrange
from benchmarks.sets.models import JudgmentSet
from concord.documents.board import BoardDocument
from tests.benchmarks.factories import make_set, score_here
from tests.benchmarks.scenes import Scene
from tests.html import readable


class Rows(HTMLParser):
    """The text of each table row, with a bar before each cell."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append("")
        elif tag in ("td", "th") and self.rows:
            self.rows[-1] += "|"

    def handle_data(self, data: str) -> None:
        if self.rows:
            self.rows[-1] += " ".join(data.split())


def rows(client: Client, query: str = "") -> list[str]:
    response = client.get(f"/sets/small/leaderboard/{query}")
    assert response.status_code == 200
    return Rows(readable(response)).rows


def names(client: Client, query: str = "") -> list[str]:
    metrics = ("token-f1", "rouge-l", "exact-match", "bleu-1", "ter")
    names = []
    for row in rows(client, query):
        names += [name for name in metrics if f"|{name}" in row]
    return names


def test_an_undefined_metric_comes_last_with_the_reason(scene: Scene, visitor: Client) -> None:
    undefined = next(row for row in rows(visitor) if "|exact-match" in row)
    assert "undefined: the metric gives every candidate the same score, 0" in undefined
    assert undefined.startswith("|\N{EN DASH}|")
    for query in ("", "?sort=spearman", "?sort=kendall&direction=worst", "?direction=worst"):
        scored = [name for name in names(visitor, query) if name not in ("bleu-1", "ter")]
        assert scored[-1] == "exact-match"


def test_runs_without_scores_come_last_with_their_state_and_reason(
    scene: Scene, visitor: Client
) -> None:
    assert set(names(visitor)[-2:]) == {"bleu-1", "ter"}
    text = " ".join(rows(visitor))
    assert "failed" in text and "JavaError: the helper would not start" in text
    assert "not scored yet" in text


def test_the_query_sorts_filters_and_groups_rows(scene: Scene, visitor: Client) -> None:
    best, worst = names(visitor, "?sort=pearson"), names(visitor, "?sort=pearson&direction=worst")
    assert best[:2] == worst[:2][::-1]
    assert names(visitor, "?sort=metric")[:3] == ["exact-match", "rouge-l", "token-f1"]
    assert names(visitor, "?metric=TOKEN") == ["token-f1"]
    assert names(visitor, "?metric=nothing") == []
    assert len(names(visitor, "?by=system")) == 3 * 3 + 2
    assert len(names(visitor, "?by=system&group=b")) == 3 + 2
    assert len(names(visitor, "?by=constituent&sort=pairs&metric=rouge")) == 2


def test_p_values_and_signatures_are_shown_on_demand(scene: Scene, visitor: Client) -> None:
    """A row is one line, with the plotted figure beside the name and its plot."""
    row = next(row for row in rows(visitor) if "|token-f1" in row)
    assert "p <" not in row and "p =" not in row and scene.run.signature not in row
    # The set has 8 passages: too few for an interval, which the page says above the table.
    assert re.match(r"\d+\|token-f1[^|]*\|0\.\d{3}\|\|", row.lstrip("|"))
    page = readable(visitor.get(f"/sets/{scene.ref}/leaderboard/"))
    assert "No interval: 8 passages; at least 10 are needed." in " ".join(page.split())
    detailed = next(row for row in rows(visitor, "?details=show") if "|token-f1" in row)
    assert scene.run.signature in detailed


def test_the_plotted_figure_comes_first(scene: Scene, visitor: Client) -> None:
    for query, first in (("", "Pearson"), ("?sort=kendall", "Kendall"), ("?sort=pairs", "Pairs")):
        head = rows(visitor, query)[0].strip("|").split("|")
        assert head[2].startswith(first) and sum(cell.startswith(first) for cell in head) == 1


def test_metrics_lead_to_their_documentation(scene: Scene, visitor: Client) -> None:
    page = readable(visitor.get("/sets/small/leaderboard/"))
    for metric in ("token-f1", "rouge-l"):
        assert f'href="/docs/reference/metrics/{metric}.html"' in page
        assert f"What is {metric}?" in page


def test_htmx_gets_the_board_only_and_history_restore_the_page(
    scene: Scene, visitor: Client
) -> None:
    headers = {"HX-Request": "true"}
    fragment = visitor.get("/sets/small/leaderboard/", headers=headers)
    assert fragment.content.strip().startswith(b'<div id="board">')
    assert "HX-Request" in fragment["Vary"]
    restored = {**headers, "HX-History-Restore-Request": "true"}
    assert b"<!DOCTYPE html>" in visitor.get("/sets/small/leaderboard/", headers=restored).content


def test_the_csv_file_has_the_rows_of_the_board(scene: Scene, visitor: Client) -> None:
    response = visitor.get("/sets/small/leaderboard.csv?by=system")
    assert response["Content-Disposition"].endswith('filename="small-v1-leaderboard.csv"')
    lines = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert {"judgment_set", "group", "metric", "pearson_low", "pairs_n", "trained_on"} <= set(
        lines[0]
    )
    board = leaderboard(scene.judgment_set, "system").rows
    assert len(lines) == len(board)
    for line, row in zip(lines, board, strict=True):
        value = row["pearson"]["value"]
        assert line["pearson"] == ("" if value is None else str(value))
        assert line["group"] == (row["group"] or "")
        assert line["signature"] == row["signature"]


def test_the_json_file_is_the_board(scene: Scene, visitor: Client) -> None:
    document = json.loads(visitor.get("/sets/small/leaderboard.json").content)
    assert document == json.loads(json.dumps(boards.read_board(scene.judgment_set).to_json()))


def test_formulas_in_group_names_are_escaped() -> None:
    figure = {"value": None, "reason": "few"}
    row: dict[str, Any] = dict.fromkeys(("pearson", "spearman", "kendall"), figure)
    row |= {"items_per_second": None, "device": "cpu", "variant": ""}
    row |= {"metric": "m", "multi_ref": "max", "n": 0, "signature": "s", "group": "=1+1"}
    row["pairs"] = {"n": 0, "accuracy": None}
    text = _board([row]).to_csv()
    assert ",'=1+1," in text


def test_the_number_of_queries_does_not_depend_on_the_number_of_metrics(
    tmp_path: Path, db: None, visitor: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    judgment_set = make_set(tmp_path, "small", pairs=2)
    score_here(judgment_set, "token-f1")
    visitor.get("/sets/small/leaderboard/")
    with django_assert_num_queries(9):  # the set, hidden labels, runs twice, three analyses
        visitor.get("/sets/small/leaderboard/")
    score_here(judgment_set, "exact-match,bleu-1,bleu-2,bleu-3,bleu-4,rouge-l")
    visitor.get("/sets/small/leaderboard/")
    with django_assert_num_queries(9):
        visitor.get("/sets/small/leaderboard/")
    with django_assert_num_queries(3) as captured:  # a board by groups reads no analysis
        visitor.get("/sets/small/leaderboard/?by=system")
    for query in captured.captured_queries:
        for array in ('"scores"', '"known_scores"', '"gold_scores"', '"text_keys"'):
            assert array not in query["sql"]


def _board(rows: list[Any]) -> BoardDocument:
    return BoardDocument(
        judgment_set="x",
        version=1,
        content_hash="",
        illustrative=False,
        n=0,
        by="system",
        weighted=False,
        unrated_draws=0,
        rows=rows,
    )


def test_metrics_that_were_not_compared_have_no_rank_and_the_number_of_groups_is_limited() -> None:
    def row(metric: str, group: str, value: float | None) -> dict[str, Any]:
        figure = {"value": value, "p": 0.1, "ci": None, "reason": "few"}
        return {
            "metric": metric,
            "multi_ref": "max",
            "run": 1,
            "group": group,
            "status": "complete",
            "items_per_second": None,
            "variant": "",
            "pearson": figure,
            "pairs": {"n": 0, "accuracy": None},
        }

    values = [("a", 0.5), ("b", 0.5), ("c", 0.25), ("d", None)]
    board = _board([row(name, f"g{g}", v) for g in range(150) for name, v in values])
    page = arrange(
        board, {"by": "system", "group": "", "sort": "pearson", "direction": "best", "metric": ""}
    )
    assert [line.rank for line in page.groups[0].rows] == [None] * 4
    assert (len(page.groups), page.hidden_groups) == (100, 50)
    assert set(BoardQueryForm.base_fields) == {
        *("by", "group", "sort", "direction", "metric", "columns", "details")
    }


def test_a_worker_computes_long_analyses_and_the_board_shows_them(
    scene: Scene, visitor: Client, monkeypatch: Any, django_capture_on_commit_callbacks: Any
) -> None:
    visitor.force_login(User.objects.create_user("reader"))
    sent: list[int] = []
    monkeypatch.setattr("benchmarks.analyses.tasks.compute_analysis.delay", sent.append)
    monkeypatch.setattr("benchmarks.analyses.services.MAX_SECONDS_IN_PAGE", 0.0)
    url = "/sets/small/leaderboard/?sort=spearman"
    with django_capture_on_commit_callbacks(execute=True):
        page = readable(visitor.get(url))
    requested = {analysis.kind: analysis for analysis in Analysis.objects.all()}
    assert sorted(requested) == ["agreement", "correctness", "systems"]
    assert sorted(sent) == sorted(analysis.pk for analysis in requested.values())
    assert requested["agreement"].parameters["coefficient"] == "spearman"
    assert "Ranks are being computed" in " ".join(page.split())
    assert f'hx-get="{url}"' in page and "token-f1" in page
    with django_capture_on_commit_callbacks(execute=True):
        visitor.get(url)
    assert len(sent) == 3, "requested once"
    for kind in ("systems", "correctness"):
        requested[kind].cancel(at=now())
    analyses.ANALYSES.perform(requested["agreement"].pk)
    followed = visitor.get(url, headers={"HX-Request": "true"})
    page = readable(followed)
    assert "hx-trigger" not in page and "significantly better" in page
    assert not Analysis.objects.filter(status="queued").exists(), (
        "a cancelled analysis is not requested again"
    )


def test_the_api_starts_the_analyses_of_a_board_and_returns_their_ranks_later(
    scene: Scene, visitor: Client, monkeypatch: Any, django_capture_on_commit_callbacks: Any
) -> None:
    visitor.force_login(User.objects.create_user("reader"))
    sent: list[int] = []
    monkeypatch.setattr("benchmarks.analyses.tasks.compute_analysis.delay", sent.append)
    monkeypatch.setattr("benchmarks.analyses.services.MAX_SECONDS_IN_PAGE", 0.0)
    url = "/api/v1/sets/small/leaderboard"
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            document = visitor.get(url).json()
    assert document["standings"] is None
    assert len(sent) == 3, "requested once"
    for pk in sent:
        analyses.ANALYSES.perform(pk)
    assert visitor.get(url).json()["standings"]["coefficient"] == "pearson"


def test_opening_a_board_does_not_start_very_long_analyses(
    scene: Scene, visitor: Client, monkeypatch: Any
) -> None:
    monkeypatch.setattr("benchmarks.analyses.services.MAX_SECONDS_IN_PAGE", 0.0)
    monkeypatch.setattr("benchmarks.analyses.services.MAX_SECONDS_ON_OPENING", 0.0)
    assert "are being computed" not in readable(visitor.get("/sets/small/leaderboard/"))
    assert not Analysis.objects.exists()


def test_the_page_does_not_compare_many_metrics() -> None:
    """Measured: 2.1 s for 1,000 candidates and 30 metrics, 0.07 s for 3."""
    kind, judgment_set = KINDS["agreement"], JudgmentSet(n_candidates=1000)
    parameters = kind.read({})
    assert kind.cost(judgment_set, 3, parameters) < MAX_SECONDS_IN_PAGE < 1.5
    assert 1.5 < kind.cost(judgment_set, 30, parameters) < 3
