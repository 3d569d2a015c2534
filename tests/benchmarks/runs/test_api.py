"""Metric runs and boards over the API."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from benchmarks.boards.services import boards
from benchmarks.runs.models import MetricRun
from benchmarks.sets.viewers import Viewer
from tests.benchmarks.scenes import Scene
from tests.core.rest.people import Caller


def test_a_run_says_how_far_it_is_and_why_it_failed(unlisted: Scene, viewer: Caller) -> None:
    failed = viewer.get(f"/sets/small/runs/{unlisted.failed.pk}").json()
    assert (failed["status"], failed["percent"]) == ("failed", 0)
    assert failed["reason"] == "JavaError: the helper would not start"
    complete = viewer.get(f"/sets/small/runs/{unlisted.run.pk}").json()
    assert (complete["status"], complete["percent"]) == ("complete", 100)


def test_runs_are_started_by_editors_and_their_work_is_sent(
    unlisted: Scene,
    editor: Caller,
    viewer: Caller,
    sent: list[int],
    django_capture_on_commit_callbacks: Callable[..., object],
) -> None:
    body = {"metrics": ["chrf", "aev(alpha=0.3,n=2)"]}
    assert viewer.post("/sets/small/runs", body).status_code == 403
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        started = editor.post("/sets/small/runs", body)
    assert started.status_code == 202, started.content
    runs = started.json()["runs"]
    assert [run["metric"] for run in runs] == ["chrf", "aev(alpha=0.3,n=2)"]
    assert sent == [run["id"] for run in runs]


def test_a_metric_that_there_is_not_names_the_field(unlisted: Scene, editor: Caller) -> None:
    refused = editor.post("/sets/small/runs", {"metrics": ["moon"]})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "metrics"


def test_a_run_is_stopped(unlisted: Scene, editor: Caller) -> None:
    stopped = editor.post(f"/sets/small/runs/{unlisted.queued.pk}/stop")
    assert stopped.json()["status"] == "cancelled"


def test_the_board_is_the_commands_json(unlisted: Scene, viewer: Caller) -> None:
    unlisted.judgment_set.viewer = Viewer.for_user(_user("vera"))
    board = boards.read_board(unlisted.judgment_set)
    assert viewer.get("/sets/small/leaderboard").json() == json.loads(json.dumps(board.to_json()))
    by_system = viewer.get("/sets/small/leaderboard?by=system").json()
    assert {row["group"] for row in by_system["rows"] if row["group"]} == {"a", "b", "c"}


def test_a_board_by_what_there_is_not_is_a_bad_request(unlisted: Scene, viewer: Caller) -> None:
    refused = viewer.get("/sets/small/leaderboard?by=moon")
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["field"] == "by"


def test_an_analysis_is_asked_for_once(
    unlisted: Scene, editor: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"kind": "agreement", "parameters": {"draws": 500}}
    made = editor.post("/sets/small/analyses", body)
    assert made.status_code == 201, made.content
    same = editor.post("/sets/small/analyses", body)
    assert same.json()["id"] == made.json()["id"]
    wrong = editor.post(
        "/sets/small/analyses", {"kind": "agreement", "parameters": {"draws": "many"}}
    )
    assert wrong.status_code == 422


def test_an_analysis_over_somebodys_private_run_is_theirs(unlisted: Scene, editor: Caller) -> None:
    made = editor.post("/sets/small/analyses", {"kind": "agreement"}).json()
    MetricRun.objects.filter(pk=unlisted.run.pk).delete()
    assert editor.get(f"/sets/small/analyses/{made['id']}").status_code == 404


def test_the_metrics_of_the_installation_are_listed(anyone: Caller) -> None:
    names = [one["name"] for one in anyone.get("/metrics?limit=200").json()["results"]]
    assert {"bleu-1", "rouge-l", "cider"} <= set(names)


def _user(name: str) -> object:
    from django.contrib.auth.models import User

    return User.objects.get(username=name)
