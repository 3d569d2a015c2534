"""The runs page: progress, starting, stopping, retrying, and whether anybody works."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now
from kombu.exceptions import OperationalError
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

import scorers
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.requested_metrics import parse_requested_metrics
from tests.benchmarks.scenes import Scene
from tests.html import readable

Status = MetricRun.Status


def start(client: Client, scene: Scene, **fields: object) -> object:
    fields = {"multi_ref": "max", **fields}
    return client.post(reverse("start-runs", args=[scene.ref]), fields)


def test_staff_start_metrics_and_their_work_is_sent_after_the_commit(
    scene: Scene,
    staff: Client,
    sent: list[int],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        response = start(staff, scene, metrics=["bleu-2", "chrf"], more="bleu-3(tokens=mocha)")
        assert sent == []
    assert response["Location"] == reverse("metric-runs", args=[scene.ref])
    new = scene.judgment_set.runs.filter(status=Status.QUEUED).exclude(pk=scene.queued.pk)
    assert {run.metric for run in new} == {"bleu-2", "chrf", "bleu-3(tokens=mocha)"}
    assert set(sent) == {run.pk for run in new}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "Choose at least one metric."),
        ({"more": "blue-1"}, "did you mean"),
        ({"more": "bleu-1(token=mocha)"}, "has no option"),
        ({"more": "bleu-1", "metrics": ["bleu-1"]}, "named twice"),
        ({"more": "bleu-1("}, "parentheses"),
        ({"more": "bleu-1-kpqa(predictor=nowhere)"}, "ALLOWED_MODELS"),
        ({"more": "bertscore(model=/etc)"}, "ALLOWED_MODELS"),
        ({"more": "bertscore(model=some-body/model)"}, "ALLOWED_MODELS"),
        ({"more": "bleu-1-kpqa(predictor=../kpqa)"}, "ALLOWED_MODELS"),
        ({"metrics": ["nothing"]}, "Select a valid choice"),
        ({"metrics": ["bleu-1"], "multi_ref": "mean"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_started_is_answered_beside_the_field(
    fields: dict[str, object], sentence: str, scene: Scene, staff: Client, no_ping: object
) -> None:
    before = MetricRun.objects.count()
    response = start(staff, scene, **fields)
    assert response.status_code == 422
    assert sentence in readable(response)
    assert MetricRun.objects.count() == before


def test_a_model_that_is_allowed_may_be_named(settings: Settings, tmp_path: Path) -> None:
    settings.ALLOWED_MODELS = [str(tmp_path)]
    with pytest.raises(scorers.ModelError, match=r"config\.json"):  # looked for, and not there
        parse_requested_metrics(f"bertscore(model={tmp_path})")
    assert [metric.name for metric in parse_requested_metrics("bleu-1-kpqa(predictor=kp)")] == [
        "bleu-1-kpqa(predictor=kp)"
    ]


def test_the_error_page_keeps_what_was_chosen(scene: Scene, staff: Client, no_ping: object) -> None:
    text = readable(start(staff, scene, metrics=["chrf"], more="blue"))
    assert 'value="chrf" checked' in text
    assert 'value="blue"' in text


def test_a_run_is_stopped_and_retried(
    scene: Scene,
    staff: Client,
    sent: list[int],
    no_ping: object,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    staff.post(reverse("stop-run", args=[scene.ref, scene.queued.pk]))
    scene.queued.refresh_from_db()
    assert scene.queued.status == Status.CANCELLED
    with django_capture_on_commit_callbacks(execute=True):
        response = staff.post(reverse("retry-run", args=[scene.ref, scene.failed.pk]), follow=True)
    scene.failed.refresh_from_db()
    assert scene.failed.status == Status.QUEUED
    assert sent == [scene.failed.pk]
    assert "bleu-1 is queued again" in readable(response)


@pytest.mark.django_db(transaction=True)
def test_an_unreachable_broker_is_said_and_the_runs_are_noted(
    scene: Scene, staff: Client, no_ping: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise OperationalError("no route")

    monkeypatch.setattr("benchmarks.runs.tasks.enqueue", refuse)
    response = start(staff, scene, metrics=["chrf"])
    assert scene.judgment_set.runs.filter(metric="chrf").exists()
    text = readable(staff.get(response["Location"]))
    assert "the broker cannot be reached" in text


def test_the_page_polls_while_a_run_is_active_and_then_stops(
    scene: Scene, visitor: Client, no_ping: object
) -> None:
    url = reverse("metric-runs", args=[scene.ref])
    headers = {"HX-Request": "true"}
    fragment = readable(visitor.get(url, headers=headers))
    assert fragment.strip().startswith('<div id="runs" hx-get=')
    assert 'hx-trigger="every 2s"' in fragment and "<progress" in fragment
    MetricRun.objects.filter(pk=scene.queued.pk).update(status=Status.CANCELLED)
    ended = readable(visitor.get(url, headers=headers))
    assert "hx-trigger" not in ended and "<progress" not in ended


def test_a_run_that_waits_long_without_a_worker_says_what_to_do(
    scene: Scene, visitor: Client, no_ping: Callable[[bool], None]
) -> None:
    url = reverse("metric-runs", args=[scene.ref])
    no_ping(False)
    assert "No worker is running" not in readable(visitor.get(url))
    earlier = now() - timedelta(seconds=60)
    MetricRun.objects.filter(pk=scene.queued.pk).update(created_at=earlier)
    assert "No worker is running" in readable(visitor.get(url))
    no_ping(True)
    assert "No worker is running" not in readable(visitor.get(url))


def test_runs_stand_in_the_order_they_were_asked_for(
    scene: Scene, visitor: Client, no_ping: object
) -> None:
    text = readable(visitor.get(reverse("metric-runs", args=[scene.ref])))
    places = [text.index(f">{name}</a>") for name in ("token-f1", "rouge-l", "exact-match", "ter")]
    assert places == sorted(places)
