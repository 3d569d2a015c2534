"""Boards: order of rows, reasons for undefined figures, number of queries."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from django.utils.timezone import now
from scipy import stats

from benchmarks.analyses.leaderboards import leaderboard, system_board
from benchmarks.exports.services import exports
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs
from benchmarks.runs.services.listing import column_names
from core.refusals import RefusedError
from tests.benchmarks.factories import make_set, request, score_here

pytestmark = pytest.mark.django_db


def give_scores(judgment_set, metric: str, scores) -> MetricRun:
    """A complete run with the given scores."""
    (run,) = request(judgment_set, metric)
    from benchmarks.runs.services import scoring

    scores = np.asarray(scores, dtype=float)
    runs.complete_run(run, scores, scoring.statistics_of(run, scores), at=now())
    return MetricRun.objects.get(pk=run.pk)


@pytest.fixture
def board_set(tmp_path):
    return make_set(tmp_path, pairs=4)


def gold_of(judgment_set):
    return np.frombuffer(bytes(judgment_set.gold_scores), "<f8")


def test_rows_equal_scipy(board_set):
    (run,) = score_here(board_set, "token-f1")
    (row,) = leaderboard(board_set).rows
    gold, scores = gold_of(board_set), run.score_array[:12]
    assert row["pearson"]["no_interval"].endswith("passages; at least 10 are needed")
    for name, oracle in (
        ("pearson", stats.pearsonr),
        ("spearman", stats.spearmanr),
        ("kendall", stats.kendalltau),
    ):
        value = oracle(scores, gold).statistic
        assert row[name]["value"] == pytest.approx(value, abs=1e-12)
        assert row[name]["p"] is None and row[name]["ci"] is None
    assert (row["n"], row["group"], row["signature"]) == (12, None, run.signature)
    assert row["pairs"]["n"] == 4 and set(row["pairs"]["by_phenomenon"]) == {
        "negation",
        "word sense",
    }


def test_a_constant_metric_comes_last_with_the_reason(board_set):
    give_scores(board_set, "bleu-1", np.full(20, 0.5))
    give_scores(board_set, "bleu-2", np.full(20, np.nan))
    gold = np.concatenate([-gold_of(board_set), np.zeros(8)])
    give_scores(board_set, "bleu-3", gold)
    rows = leaderboard(board_set).rows
    assert [row["metric"] for row in rows] == ["bleu-3", "bleu-1", "bleu-2"]
    assert rows[0]["pearson"]["value"] == pytest.approx(-1.0)
    assert rows[1]["pearson"] == {
        "value": None,
        "reason": "the metric gives every candidate the same score, 0.5",
    }
    assert rows[2]["pearson"]["reason"] == "the metric scored none of the candidates"
    assert rows[1]["pairs"]["accuracy"] == 0.5  # all ties: half a point each
    assert rows[2]["pairs"]["value"] is None
    json.dumps(leaderboard(board_set).document.to_json(), allow_nan=False)


def test_one_missing_score_makes_the_figure_undefined(board_set):
    scores = np.concatenate([gold_of(board_set), np.zeros(8)])
    scores[3] = np.nan
    give_scores(board_set, "bleu-1", scores)
    (row,) = leaderboard(board_set).rows
    reason = "the metric has no score for 1 of 12; of the others it is 1.00"
    assert row["pearson"]["reason"] == reason


def test_lower_is_better_metrics_are_negated(board_set):
    give_scores(board_set, "ter", np.concatenate([-gold_of(board_set), [0, 1] * 4]))
    (row,) = leaderboard(board_set).rows
    assert row["higher_is_better"] is False
    assert row["pearson"]["value"] == pytest.approx(1.0)
    assert row["pairs"]["accuracy"] == 1.0


def test_an_incomplete_run_comes_last_with_its_state(board_set):
    score_here(board_set, "token-f1")
    request(board_set, "exact-match")
    (failed,) = request(board_set, "bleu-1")
    runs.fail_run(failed, "MetricError: no", at=now())
    rows = leaderboard(board_set, "system").rows
    incomplete = [row for row in rows if row["status"] != "complete"]
    assert [(row["metric"], row["pearson"]["reason"]) for row in incomplete] == [
        ("bleu-1", "MetricError: no"),
        ("exact-match", "not scored yet"),
    ]


@pytest.mark.parametrize("by", ["constituent", "system", "category", "split"])
def test_groups_partition_the_candidates(board_set, by):
    score_here(board_set, "token-f1")
    rows = leaderboard(board_set, by).rows
    assert sum(row["n"] for row in rows) == 12
    assert [row["group"] for row in rows] == sorted({row["group"] for row in rows})


def test_an_unknown_grouping_is_rejected(board_set):
    with pytest.raises(ValueError, match="'colour' is not a grouping"):
        leaderboard(board_set, "colour")


def test_a_board_takes_two_queries_for_any_number_of_runs(board_set, django_assert_num_queries):
    score_here(board_set, "token-f1,exact-match,bleu-1(tokens=mocha),rouge-l(tokens=mocha)")
    with django_assert_num_queries(2):  # the runs, and which labels are hidden
        assert len(leaderboard(board_set, "system").rows) == 8


def test_systems_are_sorted_by_mean_human_score(board_set):
    (run,) = score_here(board_set, "bleu-1(tokens=mocha)")
    board = system_board(board_set)
    means = [row.human.value for row in board.systems]
    assert means == sorted(means, reverse=True)
    cell = board.systems[0].metrics[run.pk]
    positions = [c.position for c in board_set.candidates.filter(system=board.systems[0].system)]
    assert cell.mean.value == pytest.approx(run.score_array[positions].mean())
    assert 0.0 <= cell.corpus <= 1.0
    low, high = board.systems[0].human.ci
    assert low < means[0] < high


def test_exported_scores_equal_those_of_the_runs(board_set):
    scored_runs = score_here(board_set, "token-f1,exact-match")
    lines = [json.loads(line) for line in exports.scores_jsonl(board_set, scored_runs)]
    assert lines[0]["id"] == "c0-a" and lines[0]["system"] == "a" and lines[0]["score"] == 1.5
    assert [line["scores"]["token-f1"] for line in lines] == scored_runs[0].score_array[
        :12
    ].tolist()
    with pytest.raises(RefusedError, match="no complete run of bleu-1"):
        exports.select_runs(board_set, ["token-f1", "bleu-1"])


def test_an_export_selects_joint_references_by_their_name(board_set):
    score_here(board_set, "token-f1")
    score_here(board_set, "token-f1", "joint")
    assert column_names(exports.select_runs(board_set, ["token-f1/joint"])) == ["token-f1/joint"]
    both = exports.select_runs(board_set, ["token-f1", "token-f1/joint"])
    assert sorted(column_names(both)) == ["token-f1", "token-f1/joint"]


def test_formulas_in_files_are_escaped(tmp_path):
    from openpyxl import load_workbook

    from benchmarks.sets.services import importing
    from concord.formats import ReadOptions, read_judgments
    from tests.benchmarks.factories import candidate_lines, write_lines

    lines = candidate_lines()
    lines[0] |= {"id": "=1+1", "candidate": "=HYPERLINK(1)", "system": "@sum"}
    judgments = read_judgments([write_lines(tmp_path / "f", lines)], "concord", ReadOptions())
    judgment_set = importing.import_judgments("formulas", judgments, at=now())
    scored_runs = score_here(judgment_set, "token-f1")
    text = "".join(exports.scores_csv(judgment_set, scored_runs))
    assert "'=1+1,'@sum,1.5" in text
    content = b"".join(exports.workbook(judgment_set, scored_runs))
    sheet = load_workbook(io.BytesIO(content))["scores"]
    cells = next(iter(sheet.iter_rows(min_row=2, max_row=2)))
    assert cells[0].value == "=1+1" and cells[0].data_type == "s"
    assert len(list(sheet.iter_rows(min_row=2))) == 12
