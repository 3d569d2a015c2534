"""Submitted metrics scored by a real worker: a real endpoint, a real installed entry point."""

from __future__ import annotations

import json
import threading
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.utils.timezone import now

from benchmarks.runs import tasks
from benchmarks.runs.models import MetricRun
from benchmarks.sets.services import frames
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from tests.benchmarks.factories import make_set
from tests.waiting import TIMEOUT_SECONDS, wait_for

pytestmark = pytest.mark.django_db(transaction=True)

MODULE = """
def length(items):
    return [len(item.candidate) + len(item.references) / 10 for item in items]

def broken(items):
    raise RuntimeError("no model here")
"""
ENTRY_POINTS = "[concord.metrics]\nlength = some_metrics:length\nbroken = some_metrics:broken\n"


@pytest.fixture
def some_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker) -> None:
    """A package with metrics, installed for this process and for the worker."""
    folder = tmp_path / "site"
    about = folder / "some_metrics-1.2.dist-info"
    about.mkdir(parents=True)
    (folder / "some_metrics.py").write_text(MODULE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: some-metrics\nVersion: 1.2\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(folder)
    worker.environment["PYTHONPATH"] = str(folder)


def submit(judgment_set, name, kind, source, owner) -> MetricRun:
    made = submissions.submit_metric(
        judgment_set, SubmissionInfo(name), kind, source, owner=owner, at=now()
    )
    return MetricRun.objects.get(submission=made)


def ended(*runs: MetricRun) -> list[MetricRun]:
    """The runs once none of them is active."""
    pks = [run.pk for run in runs]
    active = MetricRun.objects.filter(pk__in=pks, status__in=MetricRun.ACTIVE)
    wait_for(lambda: not active.exists())
    return [MetricRun.objects.get(pk=pk) for pk in pks]


def test_endpoints_and_entry_points_are_scored_stopped_failed_and_retried(
    worker, endpoint, some_package, tmp_path, settings, ann, sam
):
    settings.OUTGOING_ALLOWED_HOSTS = [endpoint.host]
    worker.environment["OUTGOING_ALLOWED_HOSTS"] = endpoint.host
    worker.environment["OUTGOING_TIMEOUT_SECONDS"] = "2"
    made = make_set(tmp_path, "small", instances=40, pairs=4)
    lengths = [len(item.candidate) for item in frames.items(made, range(made.n_items))]
    tripped = [(500, {}, b""), None]
    endpoint.answers = [lambda payload, one=one: one for one in tripped]

    first = submit(made, "lengths", "endpoint", endpoint.url, ann)
    own = submit(made, "own", "entry-point", "length", sam)
    broken = submit(made, "broken", "entry-point", "broken", sam)
    tasks.enqueue([first, own, broken])
    worker.start("--queues", "light")
    first, own, broken = ended(first, own, broken)

    assert (first.status, first.reason) == ("complete", ""), "a 500 is tried again"
    assert np.array_equal(first.score_array, lengths)
    assert first.device == "elsewhere" and "secret" not in first.signature
    assert "submission:lengths|endpoint|sha256:" in first.signature
    assert own.status == "complete" and own.score_array[0] == lengths[0] + 0.2
    assert broken.status == "failed"
    assert broken.reason == "Broken failed: RuntimeError: no model here."

    # What the endpoint was told: texts, in no order that would tell which of a pair is better.
    item = endpoint.payloads[0]["items"][0]
    assert set(item) == {"candidate", "references", "question", "passage"}
    assert max(len(payload["items"]) for payload in endpoint.payloads) <= 64
    asked = [one["candidate"] for payload in endpoint.payloads[1:] for one in payload["items"]]
    in_order = [item.candidate for item in frames.items(made, range(made.n_items))]
    assert sorted(set(asked)) == sorted(set(in_order)) and asked != in_order[: len(asked)]

    # An answer that is none fails it with a reason; once mended, a retry completes it.
    nan = (200, {}, json.dumps({"scores": [float("nan")] * 64}).encode())
    endpoint.answers = [lambda payload: nan]
    other = submit(made, "other", "endpoint", endpoint.url, ann)
    tasks.enqueue([other])
    (other,) = ended(other)
    assert other.status == "failed" and other.reason.startswith("The endpoint: score 1 of 64 is")
    endpoint.answers = [lambda payload: None]
    tasks.enqueue([submissions.retry(other.submission, at=now())])
    (other,) = ended(other)
    assert other.status == "complete" and np.array_equal(other.score_array, lengths)

    # One that is withdrawn while it runs is asked no more.
    withdrawn = threading.Event()

    def answer_later(payload):
        withdrawn.wait(TIMEOUT_SECONDS)

    endpoint.answers = [answer_later]
    before, log_length = len(endpoint.payloads), len(worker.log.read_text())
    third = submit(made, "third", "endpoint", endpoint.url, ann)
    tasks.enqueue([third])
    wait_for(lambda: len(endpoint.payloads) > before)
    submissions.withdraw(third.submission, at=now())
    withdrawn.set()
    time.sleep(1.0)
    assert len(endpoint.payloads) <= before + 1
    assert not MetricRun.objects.filter(metric="third").exists()
    assert "Traceback" not in worker.log.read_text()[log_length:]


def test_an_endpoint_whose_address_became_private_fails_with_a_reason(
    tmp_path, ann, endpoint, settings
):
    """What was allowed when it was submitted is judged again when it is called."""
    settings.OUTGOING_ALLOWED_HOSTS = [endpoint.host]
    made = make_set(tmp_path, "small")
    run = submit(made, "lengths", "endpoint", endpoint.url, ann)
    settings.OUTGOING_ALLOWED_HOSTS = []
    tasks.score_next("external")
    run.refresh_from_db()
    assert run.status == "failed"
    assert run.reason == ("The endpoint returned no scores: the URL must begin with https://.")
    assert endpoint.payloads == []


def test_a_run_that_takes_too_long_is_ended(tmp_path, ann, endpoint, settings):
    settings.OUTGOING_ALLOWED_HOSTS = [endpoint.host]
    made = make_set(tmp_path, "small")
    run = submit(made, "lengths", "endpoint", endpoint.url, ann)
    settings.SUBMISSION_RUN_SECONDS = -1
    tasks.score_next("external")
    run.refresh_from_db()
    assert (run.status, run.reason) == ("failed", "It took longer than -1 s.")


def test_a_retry_has_the_whole_time_again(tmp_path, ann, endpoint, settings):
    settings.OUTGOING_ALLOWED_HOSTS = [endpoint.host]
    run = submit(make_set(tmp_path, "small"), "lengths", "endpoint", endpoint.url, ann)
    long_ago = now() - timedelta(seconds=2 * settings.SUBMISSION_RUN_SECONDS)
    MetricRun.objects.filter(pk=run.pk).update(status="failed", started_at=long_ago)
    submissions.retry(run.submission, at=now())
    tasks.score_next("external")
    run.refresh_from_db()
    assert (run.status, run.reason, run.n_computed) == ("running", "", run.n_items)
