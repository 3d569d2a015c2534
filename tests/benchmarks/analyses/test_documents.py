"""Boards and analyses have the declared types."""

from __future__ import annotations

import pytest

from benchmarks.analyses import documents, pair_scores
from benchmarks.analyses import services as analyses
from benchmarks.analyses.comparison_table import document
from benchmarks.analyses.leaderboards import system_board
from benchmarks.boards.services import boards, pair_tests
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.documents.board import BoardDocument
from concord.documents.choices import ChoicesAnalysis
from concord.documents.comparison import AgreementAnalysis
from concord.documents.criteria import CriteriaAnalysis
from concord.documents.learning import LearningAnalysis
from concord.documents.pairs import PairAccuracies, PairComparison
from concord.documents.plane import PlaneAnalysis
from concord.documents.spans import SpansAnalysis
from concord.documents.statistics import RunStatistics
from concord.documents.system_board import SystemBoard
from concord.documents.systems import SystemsAnalysis
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
    assert faults(system_board(judged), SystemBoard) == []


@pytest.mark.parametrize(
    ("kind", "parameters", "result"),
    [
        ("agreement", documents.AgreementParameters, AgreementAnalysis),
        ("systems", documents.SystemsParameters, SystemsAnalysis),
        ("learning", documents.LearningParameters, LearningAnalysis),
        ("plane", documents.PlaneParameters, PlaneAnalysis),
    ],
)
def test_an_analysis(judged, kind, parameters, result):
    options = {"flooded": "yes"} if kind == "plane" else {}
    analysis = analyses.request_analysis(kind, judged, options)
    analyses.perform(analysis.pk)
    analysis.refresh_from_db()
    assert analysis.status == "complete", analysis.reason
    assert faults(analysis.result, result) == [] and faults(analysis.parameters, parameters) == []
    if kind == "agreement":
        assert faults(document(judged, analysis), documents.ComparisonDocument) == []


@pytest.mark.parametrize(
    ("kind", "make", "parameters", "result"),
    [
        ("criteria", make_criteria_set, documents.BootstrapParameters, CriteriaAnalysis),
        ("spans", make_criteria_set, documents.SpansParameters, SpansAnalysis),
        ("choices", make_judged_pairs_set, documents.BootstrapParameters, ChoicesAnalysis),
    ],
)
def test_an_analysis_of_criteria_spans_or_choices(tmp_path, db, kind, make, parameters, result):
    made = make(tmp_path)
    score_here(made, "token-f1,rouge-l")
    analysis = analyses.request_analysis(kind, made, {})
    analyses.perform(analysis.pk)
    analysis.refresh_from_db()
    assert analysis.status == "complete", analysis.reason
    assert faults(analysis.result, result) == [] and faults(analysis.parameters, parameters) == []
    assert any(analysis.result.values())


def test_metrics_on_minimal_pairs(judged):
    scores = pair_scores.read(judged)
    assert scores is not None
    assert faults(pair_tests.accuracies(scores), PairAccuracies) == []
    assert faults(pair_tests.compare_metrics(scores), PairComparison) == []
