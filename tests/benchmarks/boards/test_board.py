"""The leaderboard: what stands in its rows, in which order, and how cheaply."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from django.test import Client
from django.utils.timezone import now
from pytest_django import DjangoAssertNumQueries

from benchmarks.analyses import services as analyses
from benchmarks.analyses.leaderboards import leaderboard
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.services import KINDS
from benchmarks.analyses.services.kinds import AT_ONCE
from benchmarks.boards.forms import BoardQuery
from benchmarks.boards.services import standings
from benchmarks.boards.views.board_rows import arrange
from benchmarks.sets.models import JudgmentSet
from concord.meta import table as board_table
from tests.benchmarks.factories import make_set, score_here
from tests.benchmarks.scenes import Scene
from tests.html import readable


class Rows(HTMLParser):
    """The text of each table row, cells apart by a bar."""

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
    known = ("token-f1", "rouge-l", "exact-match", "bleu-1", "ter")
    found = []
    for row in rows(client, query):
        found += [name for name in known if f"|{name}" in row]
    return found


def test_an_undefined_metric_says_why_and_stands_after_the_defined_ones(
    scene: Scene, visitor: Client
) -> None:
    undefined = next(row for row in rows(visitor) if "|exact-match" in row)
    assert "undefined: the metric gives every candidate the same score, 0" in undefined
    assert undefined.startswith("|\N{EN DASH}|")
    for query in ("", "?sort=spearman", "?sort=kendall&direction=worst", "?direction=worst"):
        scored = [name for name in names(visitor, query) if name not in ("bleu-1", "ter")]
        assert scored[-1] == "exact-match"


def test_runs_without_scores_stand_last_with_their_state_and_reason(
    scene: Scene, visitor: Client
) -> None:
    assert set(names(visitor)[-2:]) == {"bleu-1", "ter"}
    text = " ".join(rows(visitor))
    assert "failed" in text and "JavaError: the helper would not start" in text
    assert "not scored yet" in text


def test_rows_are_sorted_filtered_and_split_as_asked(scene: Scene, visitor: Client) -> None:
    best, worst = names(visitor, "?sort=pearson"), names(visitor, "?sort=pearson&direction=worst")
    assert best[:2] == worst[:2][::-1]
    assert names(visitor, "?sort=metric")[:3] == ["exact-match", "rouge-l", "token-f1"]
    assert names(visitor, "?metric=TOKEN") == ["token-f1"]
    assert names(visitor, "?metric=nothing") == []
    assert len(names(visitor, "?by=system")) == 3 * 3 + 2
    assert len(names(visitor, "?by=system&group=b")) == 3 + 2
    assert len(names(visitor, "?by=constituent&sort=pairs&metric=rouge")) == 2


def test_htmx_gets_the_board_alone_and_a_restored_page_whole(scene: Scene, visitor: Client) -> None:
    asked = {"HX-Request": "true"}
    fragment = visitor.get("/sets/small/leaderboard/", headers=asked)
    assert fragment.content.strip().startswith(b'<div id="board">')
    assert "HX-Request" in fragment["Vary"]
    restored = {**asked, "HX-History-Restore-Request": "true"}
    assert b"<!DOCTYPE html>" in visitor.get("/sets/small/leaderboard/", headers=restored).content


def test_the_csv_is_the_board_flat(scene: Scene, visitor: Client) -> None:
    response = visitor.get("/sets/small/leaderboard.csv?by=system")
    assert response["Content-Disposition"].endswith('filename="small-v1-leaderboard.csv"')
    found = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert list(found[0]) == list(board_table.COLUMNS)
    board = leaderboard(scene.judgment_set, "system").to_json()["rows"]
    assert len(found) == len(board)
    for line, row in zip(found, board, strict=True):
        value = row["pearson"]["value"]
        assert line["pearson"] == ("" if value is None else str(value))
        assert line["group"] == (row["group"] or "")
        assert line["signature"] == row["signature"]


def test_the_json_is_the_board(scene: Scene, visitor: Client) -> None:
    found = json.loads(visitor.get("/sets/small/leaderboard.json").content)
    assert found == json.loads(json.dumps(standings.board(scene.judgment_set)))


def test_a_group_that_a_spreadsheet_would_run_is_marked_as_text() -> None:
    figure = {"value": None, "reason": "few"}
    row: dict[str, Any] = dict.fromkeys(("pearson", "spearman", "kendall"), figure)
    row |= {"items_per_second": None, "device": "cpu"}
    row |= {"metric": "m", "multi_ref": "max", "n": 0, "signature": "s", "group": "=1+1"}
    row["pairs"] = {"n": 0, "accuracy": None}
    board = {"judgment_set": "x", "version": 1, "by": "system", "rows": [row]}
    assert board_table.table_rows(board)[0][3] == "'=1+1"


def test_the_board_takes_as_many_queries_for_many_metrics_as_for_few(
    tmp_path: Path, db: None, visitor: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    judgment_set = make_set(tmp_path, "small", pairs=2)
    score_here(judgment_set, "token-f1")
    visitor.get("/sets/small/leaderboard/")
    with django_assert_num_queries(7):  # the set, hidden labels, runs, two analyses
        visitor.get("/sets/small/leaderboard/")
    score_here(judgment_set, "exact-match,bleu-1,bleu-2,bleu-3,bleu-4,rouge-l")
    visitor.get("/sets/small/leaderboard/")
    with django_assert_num_queries(7):
        visitor.get("/sets/small/leaderboard/")
    with django_assert_num_queries(3) as captured:  # a board of parts asks no analysis
        visitor.get("/sets/small/leaderboard/?by=system")
    for query in captured.captured_queries:
        for array in ('"scores"', '"known_scores"', '"gold_scores"', '"text_keys"'):
            assert array not in query["sql"]


def test_equal_figures_share_a_rank_and_too_many_groups_are_cut() -> None:
    def row(metric: str, group: str, value: float | None) -> dict[str, Any]:
        figure = {"value": value, "p": 0.1, "ci": None, "reason": "few"}
        return {
            "metric": metric,
            "multi_ref": "max",
            "run": 1,
            "group": group,
            "status": "complete",
            "items_per_second": None,
            "pearson": figure,
            "pairs": {"n": 0, "accuracy": None},
        }

    values = [("a", 0.5), ("b", 0.5), ("c", 0.25), ("d", None)]
    board = {"rows": [row(name, f"g{g}", v) for g in range(150) for name, v in values]}
    page = arrange(
        board, {"by": "system", "group": "", "sort": "pearson", "direction": "best", "metric": ""}
    )
    assert [line.rank for line in page.groups[0].rows] == [1, 1, 3, None]
    assert (len(page.groups), page.left_out) == (100, 50)
    assert set(BoardQuery.base_fields) == {
        *("by", "group", "sort", "direction", "metric", "columns")
    }


def test_what_takes_long_is_computed_by_a_worker_and_shown_when_it_is_there(
    scene: Scene, visitor: Client, monkeypatch: Any, django_capture_on_commit_callbacks: Any
) -> None:
    sent: list[int] = []
    monkeypatch.setattr("benchmarks.analyses.tasks.compute_analysis.delay", sent.append)
    monkeypatch.setattr("benchmarks.analyses.services.AT_ONCE", 0.0)
    url = "/sets/small/leaderboard/?sort=spearman"
    with django_capture_on_commit_callbacks(execute=True):
        page = readable(visitor.get(url))
    asked = {analysis.kind: analysis for analysis in Analysis.objects.all()}
    assert sorted(asked) == ["agreement", "systems"] and sorted(sent) == sorted(
        analysis.pk for analysis in asked.values()
    )
    assert asked["agreement"].parameters["coefficient"] == "spearman"
    assert "Intervals and ranks are being computed" in " ".join(page.split())
    assert f'hx-get="{url}"' in page and "token-f1" in page
    with django_capture_on_commit_callbacks(execute=True):
        visitor.get(url)
    assert len(sent) == 2, "asked for once"
    asked["systems"].cancel(at=now())
    analyses.perform(asked["agreement"].pk)
    followed = visitor.get(url, headers={"HX-Request": "true"})
    page = readable(followed)
    assert "hx-trigger" not in page and "do not differ significantly" in page
    assert not Analysis.objects.filter(status="queued").exists(), "a stopped one is not asked again"


def test_what_takes_very_long_is_left_to_be_asked_for(
    scene: Scene, visitor: Client, monkeypatch: Any
) -> None:
    monkeypatch.setattr("benchmarks.analyses.services.AT_ONCE", 0.0)
    monkeypatch.setattr("benchmarks.analyses.services.MAX_SECONDS_UNASKED", 0.0)
    assert "are being computed" not in readable(visitor.get("/sets/small/leaderboard/"))
    assert not Analysis.objects.exists()


def test_a_board_of_many_metrics_is_not_computed_in_the_page() -> None:
    """Measured: 2.1 s for 1,000 candidates and 30 metrics, 0.07 s for 3."""
    kind, judgment_set = KINDS["agreement"], JudgmentSet(n_candidates=1000)
    parameters = kind.parameters({})
    assert kind.cost(judgment_set, 3, parameters) < AT_ONCE < 1.5
    assert 1.5 < kind.cost(judgment_set, 30, parameters) < 3
