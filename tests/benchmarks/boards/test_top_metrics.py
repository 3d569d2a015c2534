"""The best metrics of a set on Home and on its own page, and the first metric of its errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from benchmarks.boards.services.boards import read_board
from benchmarks.boards.services.top_metrics import RankedMetric, SetRanking, rank_public_metrics
from benchmarks.sets.models import JudgmentSet
from benchmarks.templatetags.figures import decimals
from concord.findings import MIN_CORRELATION
from tests.benchmarks.factories import make_set, score_here
from tests.html import readable

METRICS = "bleu-1,exact-match,rouge-l,token-f1"


@pytest.fixture
def scored(tmp_path: Path, db: None) -> JudgmentSet:
    judgment_set = make_set(tmp_path, instances=12, systems=("a", "b", "c"))
    score_here(judgment_set, METRICS)
    return judgment_set


def words(client: Client, url: str) -> str:
    return " ".join(readable(client.get(url)).split())


def test_the_top_metrics_are_those_not_shown_to_differ_from_the_first(
    scored: JudgmentSet, visitor: Client
) -> None:
    before = rank_public_metrics([scored])[scored.pk]
    assert not before.is_compared and len(before.top) >= 1
    assert "not tested" in words(visitor, "/")
    board = read_board(scored)  # computes the analysis
    ranking = rank_public_metrics([scored])[scored.pk]
    first = {row["run"] for row in board.rows if (row["standing"] or {}).get("top")}
    assert {metric.run for metric in ranking.top} == first and len(first) > 1
    for url in ("/", "/sets/small/"):
        page = words(visitor, url)
        assert "not shown to differ from" in page
        value = ranking.best.value
        assert (f"highest Pearson r: {decimals(value)}" if url == "/" else f"{value:.2f}") in page


def test_a_low_correlation_is_no_winner(
    scored: JudgmentSet, visitor: Client, monkeypatch: Any
) -> None:
    metric = RankedMetric(1, "rouge-l", 0.078, [0.01, 0.14], True)
    assert SetRanking([metric]).is_weak
    for value, ends in ((MIN_CORRELATION, None), (0.078, None), (0.078, [-0.3, 0.45])):
        assert not SetRanking([RankedMetric(1, "rouge-l", value, ends, True)]).is_weak
    read_board(scored)  # the set's own page says nothing before the comparison is computed
    monkeypatch.setattr("concord.findings.MIN_CORRELATION", 1.1)
    shown = {
        "/": "No metric predicts the ratings well",
        "/sets/small/": "Pearson&#x27;s r lies below 1.1",
    }
    for url, sentence in shown.items():
        page = words(visitor, url)
        assert sentence in page and "not shown to differ" not in page


def test_the_queries_of_home_do_not_grow_with_the_sets(
    tmp_path: Path, scored: JudgmentSet, django_assert_num_queries: Any
) -> None:
    other = make_set(tmp_path, "other")
    score_here(other, "token-f1")
    read_board(scored)
    read_board(other)
    for sets in ([scored], [scored, other]):
        with django_assert_num_queries(3):  # hidden labels, runs, analyses
            assert len(rank_public_metrics(sets)) == len(sets)


def test_the_errors_page_opens_on_the_best_metric_of_the_board(
    scored: JudgmentSet, visitor: Client
) -> None:
    scored.runs.filter(metric="bleu-1").delete()  # the best, and the first by alphabet
    best = next(row for row in read_board(scored).rows if row["status"] == "complete")
    assert best["metric"] != "exact-match"
    assert visitor.get("/sets/small/errors/").context["run"].pk == best["run"]
