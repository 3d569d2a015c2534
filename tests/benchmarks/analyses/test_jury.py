"""The analysis of a jury of judges, and its section on the page of judges."""

from __future__ import annotations

import html

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.analyses.kinds.jury import judge_runs
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.sets.services import frames
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from concord.judges import JuryOptions, grades_from_scores, jury_report, jury_scores
from core.accounts.roles import Role
from tests.benchmarks.analyses.test_judges import compute
from tests.benchmarks.factories import add_member, make_set, published, score_here, write_lines
from tests.core.rest.people import caller
from tests.html import readable


@pytest.fixture
def rated(tmp_path, db):
    """120 candidates, and a metric, which is no judge."""
    judgment_set = make_set(tmp_path, instances=60, systems=("a", "b"))
    score_here(judgment_set, "token-f1")
    return published(judgment_set)


def submit_judge(judgment_set, folder, name, factor):
    """A judge whose grades are people's scores with noise, times a factor; returns the grades."""
    rng, gold = np.random.default_rng(len(name)), frames.frame(judgment_set).gold
    grades = np.clip(np.round(gold + rng.normal(size=len(gold))), 1, 5) * factor
    keys = judgment_set.candidates.order_by("position").values_list("key", flat=True)
    rows = [{"id": key, "score": grade} for key, grade in zip(keys, grades.tolist(), strict=True)]
    path = write_lines(folder / f"{name}.jsonl", rows)
    submissions.submit_judgments(judgment_set, SubmissionInfo(name), path, owner=None, at=now())
    return grades


def section(client, judgment_set):
    return readable(client.get(reverse("judges", args=[str(judgment_set)])))


def test_the_jury_is_that_of_the_library(rated, tmp_path, client):
    judges = {name: submit_judge(rated, tmp_path, name, 1.0) for name in ("one", "three")}
    percent = submit_judge(rated, tmp_path, "percent", 20.0)
    frame = frames.frame(rated)
    judges["percent"] = grades_from_scores(percent, frame.gold, frame.clusters, rated.scale)
    result = compute("jury", rated, draws=50).result
    expected = jury_report(judges, frame.gold, frame.clusters, graded=True, draws=50)
    assert {row["name"] for row in result["judges"]} == set(judges)
    of_judges = {row["name"]: row["agreement"]["value"] for row in result["judges"]}
    for row in expected["judges"]:
        assert of_judges[row["name"]] == pytest.approx(row["agreement"]["value"])
    gains = [row["gain"]["value"] for row in result["juries"]]
    assert gains == pytest.approx([row["gain"]["value"] for row in expected["juries"]])
    page = section(client, rated)
    assert "Are several judges better than the best one?" in page
    assert "best single judge" in page and "one + three" in page


def test_one_judge_is_no_jury(rated, tmp_path, client):
    assert "none has them here" in section(client, rated)
    submit_judge(rated, tmp_path, "one", 1.0)
    assert "A jury needs two judges with stored answers; 1 judge has them here." in section(
        client, rated
    )


@pytest.fixture
def judges(rated, tmp_path):
    return {
        name: submit_judge(rated, tmp_path, name, factor)
        for name, factor in (("one", 1.0), ("three", 1.0), ("percent", 20.0))
    }


@pytest.fixture
def editor(rated, client):
    user = User.objects.create_user("ed")
    add_member(rated.name, user, Role.EDITOR)
    client.force_login(user)
    return user


def put_on_the_board(client, judgment_set, **fields):
    address = reverse("submit-jury", args=[str(judgment_set)])
    return client.post(address, {"name": "jury", "rule": "weighted"} | fields, follow=True)


def test_a_jury_is_a_metric_of_its_owner(rated, judges, editor, client):
    compute("jury", rated)
    assert "Put a jury on the board" in section(client, rated)
    response = put_on_the_board(client, rated, judges=list(judges))
    assert "jury is on your board. Only you see it." in readable(response)
    run = MetricRun.objects.defer(None).get(metric="jury")
    frame = frames.frame(rated)
    options = JuryOptions(rule="weighted", graded=True, scale=rated.scale)
    expected = jury_scores(dict(sorted(judges.items())), frame.gold, frame.clusters, options)
    np.testing.assert_allclose(run.score_array[: frame.n_candidates], expected.values)
    assert "|rule:weighted|fit:all in 10 folds|data:" in run.signature
    assert run.submission.owner == editor and not run.submission.is_public
    assert ">jury</a>" in client.get(reverse("leaderboard", args=[str(rated)])).content.decode()


def test_a_jury_is_no_judge_and_stays_with_its_version(rated, judges, editor, client, tmp_path):
    put_on_the_board(client, rated, judges=["one", "three"], rule="mean")
    assert len(judge_runs(complete_board_runs(rated))) == 3
    second = make_set(tmp_path, instances=61, systems=("a", "b"))
    names = set(second.submissions.values_list("name", flat=True))
    assert names == set(judges)


@pytest.mark.parametrize(
    ("fields", "message"),
    [({"judges": ["one"]}, "A jury has 2 to 100 judges; there are 1."),
     ({"judges": ["one", "x"]}, "The board has no judge 'x'."),
     ({"split": "x"}, "has no split 'x'."),
     ({"rule": "majority"}, "These answers allow the rules mean, weighted, not majority."),
     ({"name": "one"}, "one is on this board already.")],
)  # fmt: skip
def test_a_jury_that_cannot_be_made_says_why(rated, judges, editor, client, fields, message):
    page = html.unescape(readable(put_on_the_board(client, rated, **fields)))
    assert message in page
    assert not MetricRun.objects.filter(submission__kind="jury").exists()


def test_the_frontier_is_by_money_where_every_judge_has_a_price(rated, judges, client):
    Submission.objects.filter(name="one").update(answer_cost=0.002)
    assert compute("jury", rated, draws=20).result["is_priced"] is False
    Submission.objects.filter(name="three").update(answer_cost=0.5)
    Submission.objects.filter(name="percent").update(answer_cost=0.001)
    result = compute("jury", rated, draws=21).result
    assert result["is_priced"] and result["frontier"][0]["cost"] == 0.001


def test_a_jury_is_made_by_the_api(rated, judges, editor):
    body = {"name": "panel", "rule": "mean", "judges": ["one", "three"], "split": "train"}
    made = caller(editor).post(f"/sets/{rated}/juries", body)
    assert made.status_code == 201, made.content
    document = made.json()
    assert document["kind"] == "jury" and document["run"]["status"] == "complete"
    assert document["source"].startswith("jury|judges:one+three|rule:mean|fit:none|data:")
    assert caller(editor).post(f"/sets/{rated}/juries", body).status_code == 422, "the name is used"
