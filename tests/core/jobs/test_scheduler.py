"""The scheduler of a worker: jobs run when due, and no error ends it."""

from __future__ import annotations

import logging

import pytest
from celery import current_app

from core.jobs.scheduler import _SCHEDULER, MAX_PAUSE_SECONDS, PeriodicJob, Scheduler

pytestmark = pytest.mark.django_db

PERIODIC_JOBS = {
    "annotation.crowds.tasks.sweep",
    "annotation.privacy.tasks.drop_identities",
    "annotation.stages.tasks.announce_complete",
    "annotation.stages.tasks.continue_sampling",
    "benchmarks.tryouts.tasks.delete_old_tryouts",
    *(
        f"resend benchmarks.tasks.{task}{when}"
        for task in (
            "ask_model",
            "compute_analysis",
            "finish_run",
            "freeze_study",
            "import_set",
            "score_next",
            "score_tryout",
        )
        for when in ("", " at the start")
    ),
    "resend annotation.tasks.import_candidates",
    "resend annotation.tasks.import_candidates at the start",
    "core.jobs.kinds.delete_ended",
    "core.security.tasks.forget_old_counts",
    "core.webhooks.tasks.forget_old_messages",
    "core.webhooks.tasks.send_due",
}


class UnexpectedError(Exception):
    """An error that no job expects."""


def test_a_periodic_job_runs_every_so_many_seconds():
    runs: list[int] = []
    scheduler = Scheduler([PeriodicJob(lambda: runs.append(1), every=10.0)])
    assert scheduler.run_due(at=0.0) == 10.0
    assert scheduler.run_due(at=9.0) == 1.0
    scheduler.run_due(at=10.0)
    assert len(runs) == 2


def test_a_periodic_job_of_the_start_runs_once():
    runs: list[int] = []
    scheduler = Scheduler([PeriodicJob(lambda: runs.append(1), every=None)])
    for at in range(5):
        scheduler.run_due(float(at))
    assert len(runs) == 1


def test_an_unexpected_error_is_logged_and_the_next_round_happens(caplog):
    calls: list[str] = []

    def fails_once() -> None:
        calls.append("failing")
        if calls.count("failing") == 1:
            raise UnexpectedError("nobody expected this")

    scheduler = Scheduler(
        [PeriodicJob(fails_once, every=5.0), PeriodicJob(lambda: calls.append("other"), every=5.0)]
    )
    with caplog.at_level(logging.ERROR):
        scheduler.run_due(at=0.0)
    assert calls == ["failing", "other"]
    assert "nobody expected this" in caplog.text
    assert "fails_once" in caplog.text
    scheduler.run_due(at=5.0)
    assert calls == ["failing", "other", "failing", "other"]
    assert scheduler.jobs[0].failures == 0


def test_failures_in_a_row_make_the_pause_longer_up_to_a_bound():
    def fails() -> None:
        raise UnexpectedError

    job = PeriodicJob(fails, every=1.0)
    pauses = []
    at = 0.0
    for _ in range(12):
        job.run(at)
        pauses.append(job.next_at - at)
        at = job.next_at
    assert pauses[:4] == [1.0, 2.0, 4.0, 8.0]
    assert pauses[-1] == MAX_PAUSE_SECONDS


@pytest.fixture(scope="module")
def registered() -> dict[str, PeriodicJob]:
    """The jobs of a worker by name, once it has imported every app's tasks."""
    current_app.loader.import_default_modules()
    names = [one.name for one in _SCHEDULER.jobs]
    assert len(set(names)) == len(names)
    return {one.name: one for one in _SCHEDULER.jobs}


def test_the_worker_registers_every_periodic_job(registered):
    assert set(registered) == PERIODIC_JOBS


@pytest.mark.parametrize("name", sorted(PERIODIC_JOBS))
def test_each_periodic_job_of_the_worker_survives_an_unexpected_error(name, registered, caplog):
    """A registered job runs again after any error."""
    job = registered[name]
    calls: list[int] = []

    def raises() -> None:
        calls.append(1)
        raise UnexpectedError

    copy = PeriodicJob(raises, every=job.every or 1.0, name=name)
    scheduler = Scheduler([copy])
    scheduler.run_due(at=0.0)
    scheduler.run_due(at=copy.next_at)
    assert len(calls) == 2
    assert name in caplog.text
