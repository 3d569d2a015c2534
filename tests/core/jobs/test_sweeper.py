"""The sweeper of a worker: duties run when due, and no error ends it."""

from __future__ import annotations

import logging

import pytest
from celery import current_app

from core.jobs.sweeper import _SWEEPER, MAX_PAUSE_SECONDS, Duty, Sweeper

pytestmark = pytest.mark.django_db

DUTIES = {
    "annotation.crowds.tasks.sweep",
    "annotation.privacy.tasks.drop_identities",
    "annotation.stages.tasks.announce_complete",
    "benchmarks.tryouts.tasks.delete_old_tryouts",
    *(
        f"resend benchmarks.tasks.{task}{when}"
        for task in (
            "compute_analysis",
            "finish_run",
            "freeze_study",
            "import_set",
            "score_next",
            "score_tryout",
            "train",
            "weigh_words",
        )
        for when in ("", " at the start")
    ),
    "core.security.tasks.forget_old_counts",
    "core.webhooks.tasks.forget_old_messages",
    "core.webhooks.tasks.send_due",
}


class UnexpectedError(Exception):
    """An error that no duty expects."""


def test_a_duty_runs_every_so_many_seconds():
    runs: list[int] = []
    sweeper = Sweeper([Duty(lambda: runs.append(1), every=10.0)])
    assert sweeper.run_due(at=0.0) == 10.0
    assert sweeper.run_due(at=9.0) == 1.0
    sweeper.run_due(at=10.0)
    assert len(runs) == 2


def test_a_duty_of_the_start_runs_once():
    runs: list[int] = []
    sweeper = Sweeper([Duty(lambda: runs.append(1), every=None)])
    for at in range(5):
        sweeper.run_due(float(at))
    assert len(runs) == 1


def test_an_unexpected_error_is_logged_and_the_next_round_happens(caplog):
    calls: list[str] = []

    def fails_once() -> None:
        calls.append("failing")
        if calls.count("failing") == 1:
            raise UnexpectedError("nobody expected this")

    sweeper = Sweeper([Duty(fails_once, every=5.0), Duty(lambda: calls.append("other"), every=5.0)])
    with caplog.at_level(logging.ERROR):
        sweeper.run_due(at=0.0)
    assert calls == ["failing", "other"]
    assert "nobody expected this" in caplog.text
    assert "fails_once" in caplog.text
    sweeper.run_due(at=5.0)
    assert calls == ["failing", "other", "failing", "other"]
    assert sweeper.duties[0].failures == 0


def test_failures_in_a_row_make_the_pause_longer_up_to_a_bound():
    def fails() -> None:
        raise UnexpectedError

    duty = Duty(fails, every=1.0)
    pauses = []
    at = 0.0
    for _ in range(12):
        duty.run(at)
        pauses.append(duty.next_at - at)
        at = duty.next_at
    assert pauses[:4] == [1.0, 2.0, 4.0, 8.0]
    assert pauses[-1] == MAX_PAUSE_SECONDS


@pytest.fixture(scope="module")
def registered() -> dict[str, Duty]:
    """The duties of a worker by name, once it has imported every app's tasks."""
    current_app.loader.import_default_modules()
    names = [one.name for one in _SWEEPER.duties]
    assert len(set(names)) == len(names)
    return {one.name: one for one in _SWEEPER.duties}


def test_the_worker_registers_every_duty(registered):
    assert set(registered) == DUTIES


@pytest.mark.parametrize("name", sorted(DUTIES))
def test_each_duty_of_the_worker_survives_an_unexpected_error(name, registered, caplog):
    """Whatever a registered duty raises, its next round happens."""
    duty = registered[name]
    calls: list[int] = []

    def raises() -> None:
        calls.append(1)
        raise UnexpectedError

    copy = Duty(raises, every=duty.every or 1.0, name=name)
    sweeper = Sweeper([copy])
    sweeper.run_due(at=0.0)
    sweeper.run_due(at=copy.next_at)
    assert len(calls) == 2
    assert name in caplog.text
