"""`perform` ends a job without a lease, whose parts have leases."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import OperationalError
from django.utils.timezone import now

from benchmarks.runs.models import MetricRun, RunChunk
from benchmarks.runs.services import scheduling
from core.jobs import leases
from core.jobs.models import MAX_TRIES
from core.jobs.performing import StoppedError, perform
from tests.benchmarks.factories import make_set, request

pytestmark = pytest.mark.django_db


@pytest.fixture
def chunk(tmp_path: Path) -> RunChunk:
    request(make_set(tmp_path), "token-f1")
    (chunk,) = scheduling.claim("light", at=now())
    return chunk


def outcome() -> tuple[str, str]:
    run = MetricRun.objects.get()
    assert (run.finished_at is None) == run.is_active
    return run.status, run.reason


def raising(error: Exception) -> None:
    raise error


def test_the_result_of_the_work_is_returned_and_the_job_goes_on(chunk: RunChunk) -> None:
    assert perform(chunk.run, lambda: 7, parts=[chunk]) == 7
    assert outcome() == ("running", "")


def test_a_job_fails_where_the_workers_of_a_part_died_too_often(chunk: RunChunk) -> None:
    chunk.tries = MAX_TRIES + 1
    assert perform(chunk.run, lambda: 7, parts=[chunk]) is None
    reason = "Its worker died 3 times while scoring items 0 to 11; see the worker's log."
    assert outcome() == ("failed", reason)
    assert chunk.run.status == "failed", "the object is not as its row"


def test_an_expected_error_is_the_reason_and_another_is_raised_too(chunk: RunChunk) -> None:
    perform(chunk.run, lambda: raising(KeyError("b")), expected_errors=(KeyError,))
    assert outcome() == ("failed", "'b'.")
    chunk.run.queue_again(at=now())
    with pytest.raises(ValueError, match="no"):
        perform(chunk.run, lambda: raising(ValueError("no")), expected_errors=(KeyError,))
    assert outcome() == ("failed", "ValueError: no")


@pytest.mark.parametrize("error", [StoppedError(), OperationalError("the server is away")])
def test_neither_a_stop_nor_an_absent_database_fails_the_job(
    chunk: RunChunk, error: Exception
) -> None:
    try:
        perform(chunk.run, lambda: raising(error), parts=[chunk])
    except OperationalError:
        assert not isinstance(error, StoppedError)
    assert outcome() == ("running", "")


def test_a_clock_that_was_set_back_leaves_no_job_to_a_dead_worker(chunk: RunChunk) -> None:
    rows, earlier = RunChunk.objects.filter(pk=chunk.pk), now() - timedelta(hours=1)
    rows.update(status=RunChunk.HELD, lease_until=now() + leases.length())
    assert not leases.take(rows, at=now()) and leases.take(rows, at=earlier)
    rows.update(status=RunChunk.WAITING, sent_at=now())
    assert leases.stale(rows, at=earlier, unclaimed_for=leases.MESSAGE_LOST_AFTER) == [chunk.pk]


def test_a_job_ends_once(chunk: RunChunk) -> None:
    run, late = MetricRun.objects.get(), MetricRun.objects.get()
    assert run.cancel(at=now())
    assert not late.fail("It broke.", at=now()) and not late.cancel(at=now())
    assert outcome() == ("cancelled", "Stopped by hand.")
