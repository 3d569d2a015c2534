"""A judge's stored answers on a board: repeats, invalid answers, pages and the next version."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.runs.models import JudgeAnswer, MetricRun, Submission
from benchmarks.runs.services.answers import StoredAnswerCounts, answer_table, count_answers
from benchmarks.sets.models import Candidate
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from concord.formats import FormatError
from tests.benchmarks.factories import candidate_lines
from tests.benchmarks.submissions.test_carrying import carried, next_version


def answer_lines() -> list[dict[str, Any]]:
    """Two answers about each of the 12 candidates; both about the first one are invalid."""
    lines = candidate_lines()
    first = [
        {"id": line["id"], "score": line["score"] if at else None, "raw": "no" if not at else "x"}
        for at, line in enumerate(lines)
    ]
    return first + [row | {"score": row["score"] and row["score"] + 1} for row in first]


@pytest.fixture
def judge(small, ann, scores_file: Callable[..., Path]) -> Submission:
    path = scores_file(answer_lines())
    return submissions.submit_judgments(small, SubmissionInfo("judge"), path, owner=ann, at=now())


def run_of(submission: Submission) -> MetricRun:
    return MetricRun.objects.defer(None).get(submission=submission)


def test_a_score_is_the_mean_of_the_valid_answers(judge):
    scores = run_of(judge).score_array
    gold = np.array([line["score"] for line in candidate_lines()])
    assert np.isnan(scores[0]) and np.isnan(scores[12:]).all()
    assert scores[1:12].tolist() == (gold[1:] + 0.5).tolist()
    assert count_answers([judge]) == {judge.pk: StoredAnswerCounts(24, 2, 1, 2, "")}
    table = answer_table(judge)
    assert table.shape == (12, 2) and np.isnan(table[0]).all()
    assert (table[1:, 1] - table[1:, 0]).tolist() == [1.0] * 11
    assert JudgeAnswer.objects.filter(submission=judge, position=0, raw="no").count() == 2


def test_the_board_says_why_a_judge_with_invalid_answers_has_no_figure(judge):
    (row,) = run_of(judge).statistics["rows"][""]
    assert row["pearson"]["value"] is None
    assert (
        row["pearson"]["reason"] == "the metric has no score for 1 of 12; of the others it is 1.00"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[2:12], "this candidate has no answer; write null for an invalid one"),
        (lambda rows: [*rows, {"id": "stranger", "score": 1}], "is not the id of a candidate"),
        (lambda rows: rows + [rows[1]] * 99, "has more than 100 answers"),
    ],
)
def test_an_incomplete_or_strange_file_stores_nothing(small, ann, scores_file, change, message):
    path = scores_file(change(answer_lines()))
    with pytest.raises(FormatError, match=message):
        submissions.submit_judgments(small, SubmissionInfo("x"), path, owner=ann, at=now())
    assert not Submission.objects.exists() and not JudgeAnswer.objects.exists()


def test_the_page_takes_answers_and_counts_them(small, people):
    data = "".join(json.dumps(row) + "\n" for row in answer_lines()).encode()
    url = reverse("submit", args=["small"])
    form = {"kind": "judgments", "name": "my judge", "direction": "higher"}
    sent = form | {"scores": SimpleUploadedFile("a.jsonl", data)}
    page = people["ann"].post(url, sent, follow=True).content.decode()
    text = " ".join(page.split())
    assert "24 answers, 2 invalid; 1 candidate without a valid one" in text
    bad = form | {"name": "another", "scores": SimpleUploadedFile("a.jsonl", b'{"id": "c0-a"}\n')}
    refused = people["ann"].post(url, bad)
    assert refused.status_code == 422 and "has no score or label" in refused.content.decode()
    help_page = people["ann"].get(reverse("submissions", args=["small"]), {"kind": "judgments"})
    assert "from worst to best" in help_page.content.decode()


def test_a_lost_answer_breaks_no_page_of_the_set(judge, people):
    """Every page that shows scores, with a metric that lacks one."""
    run = run_of(judge)
    candidate = Candidate.objects.get(judgment_set=judge.judgment_set, position=0)
    ann = people["ann"]
    for name in ("judgment-set", "leaderboard", "comparison", "correctness", "judges", "errors",
                 "system-board", "minimal-pairs", "metric-runs", "set-data", "estimate",
                 "combination", "leaderboard-csv", "leaderboard-json", "scores-csv",
                 "judgments-jsonl"):  # fmt: skip
        assert ann.get(reverse(name, args=["small"]), follow=True).status_code == 200, name
    for name, args in (("metric-run", [run.pk]), ("candidate", [candidate.key])):
        assert ann.get(reverse(name, args=["small", *args])).status_code == 200, name


def test_only_its_owner_sees_a_private_judge(judge, people):
    url = reverse("metric-run", args=["small", run_of(judge).pk])
    assert people["ann"].get(url).status_code == 200
    assert people["bob"].get(url).status_code == 404


def test_withdrawing_deletes_the_answers(judge):
    submissions.withdraw(judge, at=now())
    assert not JudgeAnswer.objects.exists() and not MetricRun.objects.exists()


def test_answers_are_carried_and_an_invalid_one_lacks_nothing(judge, tmp_path):
    second = next_version(tmp_path, candidate_lines()[::-1])
    copy = carried(second)
    before, after = run_of(judge).score_array[:12], run_of(copy).score_array[:12]
    assert np.array_equal(after, before[::-1], equal_nan=True)
    assert np.array_equal(answer_table(copy), answer_table(judge)[::-1], equal_nan=True)
    assert run_of(copy).signature == run_of(judge).signature


def test_the_command_submits_answers(small, scores_file, capsys, settings):
    settings.EMBEDDED = False  # the test database is up to date
    path = str(scores_file(answer_lines()))
    call_command("submit_scores", "small", path, "--name", "judge", "--answers")
    assert Submission.objects.get().kind == "judgments"
    assert capsys.readouterr().out.splitlines() == [
        "24 answers, 2 of them invalid; 1 candidate without a valid answer.",
        "judge is on the board of small@1, for everybody.",
    ]
