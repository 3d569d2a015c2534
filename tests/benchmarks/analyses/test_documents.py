"""Boards and analyses have the declared types."""

from __future__ import annotations

from dataclasses import fields

import pytest

from benchmarks.analyses import pair_scores
from benchmarks.analyses import services as analyses
from benchmarks.analyses.kind import ADDED_LATER
from benchmarks.analyses.kinds.agreement.table import document
from benchmarks.analyses.leaderboards import SystemBoard, system_board
from benchmarks.analyses.models import Analysis
from benchmarks.boards.services import boards, pair_tests
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.documents.board import BoardDocument
from concord.documents.comparison import ComparisonDocument
from concord.documents.conversion import to_json
from concord.documents.statistics import RunStatistics
from tests.benchmarks.factories import (
    make_criteria_set,
    make_judged_pairs_set,
    make_set,
    score_here,
)
from tests.documents import faults


@pytest.fixture
def judged(tmp_path, db) -> JudgmentSet:
    judgment_set = make_set(tmp_path, pairs=4, instances=24, systems=("a", "b", "c", "d", "e"))
    score_here(judgment_set, "token-f1,rouge-l,bleu-1")
    return judgment_set


def test_boards_of_a_set_and_of_a_group(judged):
    for board in (boards.read_board(judged), boards.read_board(judged, "system", "a")):
        assert board.rows and board.standings and faults(board.to_json(), BoardDocument) == []
    assert all(faults(run.statistics, RunStatistics) == [] for run in MetricRun.objects.all())


def test_a_board_of_systems(judged):
    assert faults(to_json(system_board(judged)), SystemBoard) == []


@pytest.mark.parametrize("kind", ["agreement", "systems", "learning", "plane"])
def test_an_analysis(judged, kind):
    analysis = complete(kind, judged, {"flooded": "yes"} if kind == "plane" else {})
    if kind == "agreement":
        assert faults(document(judged, analysis), ComparisonDocument) == []


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("criteria", make_criteria_set),
        ("spans", make_criteria_set),
        ("choices", make_judged_pairs_set),
    ],
)
def test_an_analysis_of_criteria_spans_or_choices(tmp_path, db, kind, make):
    made = make(tmp_path)
    score_here(made, "token-f1,rouge-l")
    assert any(complete(kind, made, {}).result.values())


def complete(name: str, judgment_set: JudgmentSet, options: dict[str, object]) -> Analysis:
    """The complete analysis, whose parameters and result are as its description declares."""
    kind = analyses.KINDS[name]
    analysis = analyses.request_analysis(name, judgment_set, options)
    analyses.ANALYSES.perform(analysis.pk)
    analysis.refresh_from_db()
    assert analysis.status == "complete", analysis.reason
    assert faults(analysis.result, kind.document) == []
    added = [one for one in fields(kind.parameters) if one.metadata.get(ADDED_LATER)]
    parameters = {one.name: one.default for one in added} | analysis.parameters
    assert faults(parameters, kind.parameters) == []
    return analysis


def test_metrics_on_minimal_pairs(judged):
    scores = pair_scores.read(judged)
    assert scores is not None
    accuracies = to_json(pair_tests.accuracies(scores))
    assert faults(accuracies, pair_tests.PairAccuracies) == []
