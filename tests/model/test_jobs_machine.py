"""Random histories of jobs and of metric runs, against a model in plain Python: workers that claim,
die, are superseded and finish late; work that is stopped and asked for again."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.timezone import now
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import scorers
from benchmarks.runs.models import MetricRun, RunChunk
from benchmarks.runs.services import runs, scheduling, scoring
from benchmarks.sets.models import JudgmentSet
from benchmarks.tryouts.models import TryOut
from core.jobs import leases
from tests.benchmarks.factories import ask_for_tryout, make_set
from tests.model.jobs_model import MAX_TRIES, Row, RunModel
from tests.model.machines import LONG, of_size

WHICH = st.integers(0, 3)
MINUTES = st.sampled_from([1, 2, 6])
METRICS = ("token-f1", "ter")


class Timed(RuleBasedStateMachine):
    """A machine with a clock, whose example is undone by a savepoint."""

    def __init__(self) -> None:
        super().__init__()
        self.at = now()
        self.holders = 0
        self.block = transaction.atomic()
        self.block.__enter__()

    @rule(minutes=MINUTES)
    def wait(self, minutes: int) -> None:
        self.at += timedelta(minutes=minutes)

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.block.__exit__(None, None, None)


class JobMachine(Timed):
    """Two jobs. Whoever claimed one goes on with it, however late."""

    def __init__(self, user: User) -> None:
        super().__init__()
        jobs = [ask_for_tryout(user, "bertscore-kpqa") for _ in range(2)]
        TryOut.objects.update(sent_at=self.at)
        self.rows = {job.pk: Row() for job in jobs}
        self.workers: list[tuple[int, TryOut]] = []

    @rule(which=WHICH)
    def claim(self, which: int) -> None:
        pk = sorted(self.rows)[which % 2]
        job = TryOut.claim(pk, at=self.at)
        assert (job is not None) == self.rows[pk].is_free(self.at)
        if job is None:
            return
        self.holders += 1
        self.rows[pk].claim(self.holders, self.at, leases.length())
        self.workers.append((self.holders, job))
        assert job.is_exhausted == (self.rows[pk].tries > MAX_TRIES)

    @precondition(lambda self: self.workers)
    @rule(which=WHICH)
    def report(self, which: int) -> None:
        holder, job = self.workers[-1 - which % len(self.workers)]
        ok = job.advance(at=self.at, result={"scores": [holder]})
        self.rows[job.pk].renew(holder, ok, self.at + leases.length())

    @precondition(lambda self: self.workers)
    @rule(which=WHICH, done=st.booleans())
    def finish(self, which: int, done: bool) -> None:
        holder, job = self.workers[-1 - which % len(self.workers)]
        if done:
            ok = job.complete(at=self.at, result={"weights": {"by": holder}})
        else:
            ok = job.fail("It cannot be done.", at=self.at)
        self.rows[job.pk].end(holder, ok, "complete" if done else "failed")
        if ok and done:
            assert TryOut.objects.get(pk=job.pk).weights == {"by": holder}

    @rule(which=WHICH)
    def stop(self, which: int) -> None:
        job = self._job(which)
        self.rows[job.pk].stop(job.cancel(at=self.at))

    @rule(which=WHICH)
    def ask_again(self, which: int) -> None:
        job = self._job(which)
        self.rows[job.pk].ask_again(job.queue_again(at=self.at))

    @rule()
    def sweep(self) -> None:
        lapsed = {pk for pk, row in self.rows.items() if row.until and row.until < self.at}
        waiting = {pk for pk, row in self.rows.items() if row.status == "queued"}
        stale = set(TryOut.stale(at=self.at))
        assert lapsed <= stale <= lapsed | waiting

    @invariant()
    def database_agrees_with_the_model(self) -> None:
        rows = TryOut.objects.values_list("pk", "status", "tries", "lease_until")
        assert {pk: rest for pk, *rest in rows} == {
            pk: [row.status, row.tries, row.until] for pk, row in self.rows.items()
        }

    def teardown(self) -> None:
        """After enough time, every job that has not ended is offered again."""
        try:
            later = self.at + timedelta(days=1)
            active = {pk for pk, row in self.rows.items() if row.status in ("queued", "running")}
            assert set(TryOut.stale(at=later)) == active
            assert all(TryOut.claim(pk, at=later) for pk in active)
        finally:
            super().teardown()

    def _job(self, which: int) -> TryOut:
        return TryOut.objects.get(pk=sorted(self.rows)[which % 2])


class RunMachine(Timed):
    """Two metric runs of three chunks. A worker's scores say whose they are."""

    def __init__(self, judgment_set: JudgmentSet) -> None:
        super().__init__()
        self.judgment_set = judgment_set
        requested = self._request(METRICS)
        self.runs = {
            run.pk: RunModel({pk: Row() for pk in run.chunks.values_list("pk", flat=True)})
            for run in requested
        }
        assert all(len(run.chunks) == 3 for run in self.runs.values())
        self.workers: list[tuple[int, list[RunChunk]]] = []

    @rule(at_most=st.integers(1, 2))
    def claim(self, at_most: int) -> None:
        chunks = scheduling.claim("light", at=self.at, at_most=at_most)
        self.holders += 1
        if not chunks:
            assert not any(run.free(self.at) for run in self.runs.values())
            return
        pks = [chunk.pk for chunk in chunks]
        assert len(chunks) <= at_most and len({chunk.run_id for chunk in chunks}) == 1
        run = self.runs[chunks[0].run_id]
        run.claim(pks, self.holders, self.at, leases.length())
        if any(chunk.is_exhausted for chunk in chunks):
            assert any(run.chunks[pk].tries > MAX_TRIES for pk in pks)
            assert not scoring.score_chunks(chunks)
            run.end("failed")
            return
        assert all(run.chunks[pk].tries <= MAX_TRIES for pk in pks)
        self.workers.append((self.holders, chunks))

    @precondition(lambda self: self.workers)
    @rule(which=WHICH)
    def beat(self, which: int) -> None:
        """A heartbeat of the worker's (see `leases.heartbeat`)."""
        holder, chunks = self._worker(which)
        for chunk in chunks:
            ok = bool(chunk.held.update(lease_until=self.at + leases.length()))
            self._row(chunk).renew(holder, ok, self.at + leases.length())

    @precondition(lambda self: self.workers)
    @rule(which=WHICH)
    def write(self, which: int) -> None:
        holder, chunks = self._worker(which)
        for chunk in chunks:
            before = RunChunk.objects.filter(pk=chunk.pk, status="done").exists()
            scores = np.full(chunk.n_items, float(holder))
            ready = runs.complete_chunk(chunk, scores, 1.0, "cpu")
            run = self.runs[chunk.run_id]
            after = RunChunk.objects.filter(pk=chunk.pk, status="done").exists()
            run.complete_chunk(chunk.pk, holder, after and not before, ready)

    @rule(which=WHICH)
    def finish(self, which: int) -> None:
        pk = sorted(self.runs)[which % 2]
        run = MetricRun.objects.get(pk=pk)
        ok = run.is_active and scoring.finish_run(run)
        self.runs[pk].finish(ok)

    @rule(which=WHICH)
    def stop(self, which: int) -> None:
        pk = sorted(self.runs)[which % 2]
        run = MetricRun.objects.get(pk=pk)
        assert run.cancel(at=self.at) == self.runs[pk].is_active
        self.runs[pk].end("cancelled")

    @rule(which=WHICH)
    def fail(self, which: int) -> None:
        pk = sorted(self.runs)[which % 2]
        runs.fail_run(MetricRun.objects.get(pk=pk), "It cannot be scored.", at=self.at)
        self.runs[pk].end("failed")

    @rule(which=WHICH)
    def ask_again(self, which: int) -> None:
        (run,) = self._request([METRICS[which % 2]])
        self.runs[run.pk].ask_again()

    @rule()
    def sweep(self) -> None:
        """Lapsed leases are offered again, and nothing of a run that ended."""
        lapsed = sum(
            run.is_active and row.status == "running" and row.is_free(self.at)
            for run in self.runs.values()
            for row in run.chunks.values()
        )
        free = sum(len(run.free(self.at)) for run in self.runs.values())
        assert lapsed <= len(scheduling.lanes_to_wake(at=self.at)) <= free
        done = [pk for pk, run in self.runs.items() if run.is_active and run.is_done]
        assert sorted(runs.runs_to_finish()) == sorted(done)

    @invariant()
    def database_agrees_with_the_model(self) -> None:
        runs = {run.pk: run for run in MetricRun.objects.filter(judgment_set=self.judgment_set)}
        assert {pk: run.status for pk, run in runs.items()} == {
            pk: run.status for pk, run in self.runs.items()
        }
        chunks = RunChunk.objects.filter(run__in=runs)
        rows = {pk: rest for pk, *rest in chunks.values_list("pk", "status", "tries")}
        assert rows == {
            pk: [row.status, row.tries]
            for run in self.runs.values()
            if run.status != "complete"
            for pk, row in run.chunks.items()
        }
        for pk, run in self.runs.items():
            per_chunk = runs[pk].n_items // 3
            assert runs[pk].n_computed == per_chunk * len(run.scored_by)
            if run.status == "complete":
                scores = sorted(runs[pk].score_array.tolist())
                assert scores == sorted(list(run.scored_by.values()) * per_chunk)

    def teardown(self) -> None:
        """After enough time, every chunk that lacks scores is offered again."""
        try:
            later = self.at + timedelta(days=1)
            free = sum(len(run.free(later)) for run in self.runs.values())
            assert len(scheduling.lanes_to_wake(at=later)) == free
        finally:
            super().teardown()

    def _request(self, metrics: Any) -> list[MetricRun]:
        parsed = scorers.parse_metrics(",".join(metrics))
        return runs.request_runs(self.judgment_set, parsed, at=self.at)

    def _worker(self, which: int) -> tuple[int, list[RunChunk]]:
        return self.workers[-1 - which % len(self.workers)]

    def _row(self, chunk: RunChunk) -> Row:
        return self.runs[chunk.run_id].chunks[chunk.pk]


@pytest.fixture
def three_chunks(db: None, tmp_path: Path, settings: Any) -> JudgmentSet:
    """A set whose runs have three chunks of equal size, all of different texts."""
    settings.SCORING_CHUNK_SIZE = 2
    return make_set(tmp_path, instances=6, systems=("a",))


@pytest.fixture
def user(db: None) -> User:
    return User.objects.create_user("vera")


def test_a_job_is_done_once_by_whoever_holds_it(user: User) -> None:
    run_state_machine_as_test(lambda: JobMachine(user), settings=of_size(20, 25))


def test_a_run_is_scored_once_chunk_by_chunk(three_chunks: JudgmentSet) -> None:
    run_state_machine_as_test(lambda: RunMachine(three_chunks), settings=of_size(10, 25))


@pytest.mark.slow
def test_a_job_is_done_once_by_whoever_holds_it_for_long(user: User) -> None:
    run_state_machine_as_test(lambda: JobMachine(user), settings=of_size(500, 50, **LONG))


@pytest.mark.slow
def test_a_run_is_scored_once_chunk_by_chunk_for_long(three_chunks: JudgmentSet) -> None:
    run_state_machine_as_test(lambda: RunMachine(three_chunks), settings=of_size(300, 50, **LONG))
