"""Metrics by sets: the table, its means, and its files."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse

from benchmarks.analyses.leaderboards import leaderboard
from benchmarks.boards.services import across
from benchmarks.sets.services import publishing
from tests.benchmarks.factories import make_set, score_here

METRICS = "token-f1,rouge-l"


@pytest.fixture
def sets(tmp_path, db):
    first = make_set(tmp_path, "first", instances=12, systems=("a", "b"))
    second = make_set(tmp_path, "second_50", instances=20, systems=("a", "c"))
    score_here(first, METRICS)
    score_here(second, f"{METRICS},bleu-1")
    return [first, second]


def test_cells_are_those_of_the_leaderboards(sets):
    table = across.metrics_by_sets(sets, "spearman")
    for row in table.rows:
        for cell, judgment_set in zip(row.cells, sets, strict=True):
            values = {
                each["metric"]: each["spearman"]["value"] for each in leaderboard(judgment_set).rows
            }
            assert cell.value == values.get(row.metric)


def test_means_are_over_the_columns_that_all_common_metrics_have(sets):
    table = across.metrics_by_sets(sets, "pearson")
    assert table.mean_of == 2
    by_name = {row.metric: row for row in table.rows}
    rouge = by_name["rouge-l"]
    assert rouge.mean.value == pytest.approx(sum(cell.value for cell in rouge.cells) / 2)
    # One set of two is not more than half: bleu-1 has no mean, and does not shrink the others'.
    assert by_name["bleu-1"].mean.value is None
    assert table.rows[-1].metric == "bleu-1"
    means = [row.mean.value for row in table.rows[:-1]]
    assert means == sorted(means, reverse=True)


def test_the_best_of_each_column_is_marked_and_darkest(sets):
    table = across.metrics_by_sets(sets, "pearson")
    for column in range(2):
        cells = [row.cells[column] for row in table.rows if row.cells[column].value is not None]
        best = max(cells, key=lambda cell: cell.value)
        assert best.is_best and best.shade == 10
        assert min(cells, key=lambda cell: cell.value).shade == 1


def test_groups_of_a_set_are_columns(sets):
    table = across.metrics_by_sets(sets[:1], "pearson", "system")
    assert [column.group for column in table.columns] == ["a", "b"]


def test_the_page_links_each_set_and_both_files(sets, client):
    page = client.get(reverse("across-sets"), {"coefficient": "kendall"}).content.decode()
    assert reverse("leaderboard", args=["first@1"]) in page
    assert "metrics-by-sets.tex?coefficient=kendall&amp;set=first" in page
    only = client.get(reverse("across-sets"), {"set": "first"}).content.decode()
    assert reverse("leaderboard", args=["second_50@1"]) not in only


def test_the_csv_has_every_value(sets, client):
    answer = client.get(reverse("across-file", args=["csv"]))
    rows = list(csv.reader(io.StringIO(answer.content.decode())))
    assert rows[0] == ["metric", "first@1", "second_50@1", "mean"]
    values = {row["metric"]: row["pearson"]["value"] for row in leaderboard(sets[0]).rows}
    assert float(next(row for row in rows if row[0] == "token-f1")[1]) == values["token-f1"]
    assert next(row for row in rows if row[0] == "bleu-1")[1] == ""


def test_the_latex_table_escapes_names_and_marks_the_best(sets, client):
    text = client.get(reverse("across-file", args=["tex"])).content.decode()
    assert text.startswith("\\begin{tabular}{lrrr}\n\\toprule\n")
    assert r"second\_50@1" in text
    assert text.count(r"\textbf{") >= 3
    assert "bleu-1 & -- & " in text


def test_private_sets_are_left_out_for_visitors(sets, client):
    home = reverse("judgment-sets")
    assert reverse("across-sets") in client.get(home).content.decode()
    publishing.unpublish(sets[1])
    assert reverse("across-sets") not in client.get(home).content.decode()
    page = client.get(reverse("across-sets")).content.decode()
    assert "second_50" not in page


def test_without_sets_the_page_says_so(db, client):
    assert "No set has metric scores yet" in client.get(reverse("across-sets")).content.decode()


@pytest.mark.parametrize("query", ["coefficient=r", "by=colour"])
def test_an_invalid_query_is_refused(db, client, query):
    assert client.get(f"{reverse('across-sets')}?{query}").status_code == 400


def test_figures_that_look_equal_have_one_shade():
    ends = across._ends({"a": 0.23701, "b": 0.23699})
    assert {across._cell(value, ends).shade for value in (0.23701, 0.23699)} == {5}


def test_sets_beyond_the_most_are_named_as_left_out(sets, client, monkeypatch):
    assert "left out" not in client.get(reverse("across-sets")).content.decode()
    monkeypatch.setattr(across, "MAX_SETS", 1)
    page = " ".join(client.get(reverse("across-sets")).content.decode().split())
    assert "1 set is left out: the table has at most 1" in page


def test_a_set_of_simulated_ratings_says_so_in_its_column(sets, client):
    page = " ".join(client.get(reverse("across-sets")).content.decode().split())
    assert "simulated ratings" not in page
    type(sets[0]).objects.filter(pk=sets[0].pk).update(
        illustrative=True, report=sets[0].report | {"simulated": True}
    )
    page = " ".join(client.get(reverse("across-sets")).content.decode().split())
    assert "simulated ratings" in page
