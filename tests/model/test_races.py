"""Race conditions that random histories found, each as one fixed interleaving."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils.timezone import now

from annotation.privacy.services import erasing
from annotation.quality.services import ledgers
from annotation.quality.services.gold import study_gold
from annotation.rating.models import Message, Participation
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import Answer
from annotation.stages.services import opening
from annotation.studies.models import Study
from benchmarks.freezing import services as freezing
from benchmarks.freezing.models import Freezing
from benchmarks.runs.models import MetricRun, RunChunk
from benchmarks.runs.services import runs, scheduling
from benchmarks.sets.models import Rating as JudgmentRating
from benchmarks.tryouts.models import TryOut
from core.refusals import RefusedError
from tests.annotation import factories
from tests.annotation.rating.invariants import assert_invariants
from tests.benchmarks.factories import ask_for_tryout, make_set, request
from tests.waiting import TIMEOUT_SECONDS, wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def other_process() -> Iterator[Callable[[Callable[[], Any]], Future[Any]]]:
    """Start work on a connection of its own; ended with the block, whose errors are raised."""
    with ThreadPoolExecutor(1) as pool:

        def start(work: Callable[[], Any]) -> Future[Any]:
            def run() -> Any:
                try:
                    return work()
                finally:
                    connection.close()

            return pool.submit(run)

        yield start


def until_done_or_blocked(future: Future[Any]) -> None:
    """Wait until the other process has ended or waits for a lock of ours."""
    query = (
        "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
    )

    def is_blocked() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetchone() is not None

    wait_for(lambda: future.done() or is_blocked(), pause=0.01)


def once_after(
    start: str, part: str, act: Callable[[], object], *, before: bool = False
) -> AbstractContextManager[None]:
    """Act after (or before) the first statement that begins with `start` and has `part`."""
    left = [act]

    def wrapper(execute: Any, sql: str, *more: Any) -> Any:
        matches = bool(left) and sql.startswith(start) and part in sql
        if matches and before:
            left.pop()()
        result = execute(sql, *more)
        if matches and not before:
            left.pop()()
        return result

    return connection.execute_wrapper(wrapper)


def test_an_exclusion_while_the_worker_is_erased_stays_in_force() -> None:
    stage = factories.open_study(passages=1)
    participant = factories.join(stage.study, "ann")
    factories.submitted(handing_out.hand_out(participant.worker, stage, at=now()))
    owner = factories.owner()

    def exclude() -> None:
        ledgers.exclude_worker(participant, "careless", by=owner, at=now())

    with other_process() as start:
        with transaction.atomic():
            erased = erasing.erase(participant, by=owner, at=now())
            excluding = start(exclude)
            until_done_or_blocked(excluding)
        excluding.result()
    assert [step.content["worker"] for step in ledgers.steps_of(stage.study)] == [erased.name]
    assert study_gold(stage.study, "mean").kept == 0


def test_two_simultaneous_top_ups_request_missing_ratings_once() -> None:
    stage = factories.open_study(passages=1)
    parts = [factories.join(stage.study, name) for name in ("ann", "bob")]
    for one in parts:
        factories.submitted(handing_out.hand_out(one.worker, stage, at=now()))
    ledgers.exclude_worker(parts[0], "careless", by=factories.owner(), at=now())
    with other_process() as start:
        with transaction.atomic():
            assert opening.top_up(stage) == 1
            second = start(lambda: opening.top_up(stage))
            until_done_or_blocked(second)
        assert second.result() == 0
    assert sum(stage.hits.values_list("wanted", flat=True)) == 3


def test_a_submission_during_a_top_up_is_not_asked_for_again() -> None:
    stage = factories.open_study(passages=1)
    parts = [factories.join(stage.study, name) for name in ("ann", "bob")]
    holds = [handing_out.hand_out(one.worker, stage, at=now()) for one in parts]
    for assignment in holds:
        factories.rate_all(assignment)
    with other_process() as start:
        submitting: list[Future[Any]] = []

        def submit() -> None:
            submitting.append(start(lambda: handing_out.submit(holds[0], at=now())))
            until_done_or_blocked(submitting[0])

        # After the kept ratings were read, and before what is held is counted.
        with once_after("SELECT", '"annotation_ledgerstep"', submit):
            assert opening.top_up(stage) == 0
        submitting[0].result()
    assert_invariants(stage.study)


def test_saving_during_an_erasure_does_not_deadlock() -> None:
    stage = factories.open_study(passages=1)
    participant = factories.join(stage.study, "ann")
    assignment = handing_out.hand_out(participant.worker, stage, at=now())
    (candidate, *_) = factories.members(assignment)
    owner = factories.owner()
    with other_process() as start:
        erasures: list[Future[Any]] = []

        def erase() -> None:
            erasures.append(
                start(lambda: erasing.erase(participant, ratings=True, by=owner, at=now()))
            )
            until_done_or_blocked(erasures[0])

        with once_after("SELECT", 'FOR UPDATE OF "annotation_assignment"', erase):
            handing_out.save_rating(assignment, candidate, Answer(3), at=now())
        assert erasures[0].result().ratings_removed == 1
    assert_invariants(stage.study)


@pytest.mark.parametrize("kind", ["question", "withdrawal"])
def test_a_message_while_its_worker_is_erased_is_not_stored(kind: str) -> None:
    stage = factories.open_study(passages=1)
    taking_part = factories.join(stage.study, "ann")
    before = participation.write(taking_part, "I live in Bonn.", at=now())

    def write() -> None:
        with pytest.raises(RefusedError, match="was removed from this study"):
            if kind == "withdrawal":
                participation.withdraw(taking_part, "I live in Bonn.", at=now())
            else:
                participation.write(taking_part, "I live in Bonn.", at=now())

    with other_process() as start:
        with transaction.atomic():
            erased = erasing.erase(taking_part, by=factories.owner(), at=now())
            writing = start(write)
            until_done_or_blocked(writing)
        writing.result()
    assert erased.messages == 1 and not Message.objects.exists()
    assert Participation.objects.get(pk=before.participation_id).withdrawn_at is None


def test_a_message_stored_while_an_erasure_waits_is_erased_with_it() -> None:
    stage = factories.open_study(passages=1)
    taking_part = factories.join(stage.study, "ann")
    owner = factories.owner()
    with other_process() as start:
        with transaction.atomic():
            participation.write(taking_part, "I live in Bonn.", at=now())
            erasure = start(lambda: erasing.erase(taking_part, by=owner, at=now()))
            until_done_or_blocked(erasure)
        assert erasure.result().messages == 1
    assert not Message.objects.exists()


@pytest.mark.parametrize("as_job", [False, True])
def test_who_is_excluded_while_a_study_is_frozen_is_not_in_the_set(as_job: bool) -> None:
    study, parts, owner = rated_by_two()

    def exclude() -> None:
        with other_process() as start:
            start(lambda: ledgers.exclude_worker(parts[0], "careless", by=owner, at=now())).result()

    # After the ledger was read, and before the version is written.
    with once_after("SELECT", '"annotation_ledgerstep"."made_by_id"', exclude):
        if as_job:
            asked = freezing.request(study, "mean", by=owner, at=now())
            freezing.FREEZINGS.perform(asked.pk)
            preview = Freezing.objects.get().preview
            assert preview is not None and preview["ratings"] == 3
        else:
            freezing.freeze(study, "mean", by=owner, at=now())
    assert JudgmentRating.objects.count() == 3


def test_who_is_excluded_while_a_version_is_written_waits_for_it() -> None:
    study, parts, owner = rated_by_two()
    with other_process() as start:
        excluding: list[Future[Any]] = []

        def exclude() -> None:
            excluding.append(
                start(lambda: ledgers.exclude_worker(parts[0], "careless", by=owner, at=now()))
            )
            until_done_or_blocked(excluding[0])
            assert not excluding[0].done()

        with once_after("INSERT", '"benchmarks_judgmentset"', exclude):
            freezing.freeze(study, "mean", by=owner, at=now())
        excluding[0].result()
    assert JudgmentRating.objects.count() == 6
    freezing.freeze(study, "mean", by=owner, at=now())
    assert JudgmentRating.objects.count() == 6 + 3


def rated_by_two() -> tuple[Study, list[Participation], User]:
    """A study whose three candidates two workers rated."""
    stage = factories.open_study(passages=1)
    parts = [factories.join(stage.study, name) for name in ("ann", "bob")]
    for one in parts:
        factories.submitted(handing_out.hand_out(one.worker, stage, at=now()))
    return stage.study, parts, stage.study.owner


def test_a_claimed_job_has_the_attempt_of_its_claim() -> None:
    """Stopped, queued again and taken by another between the taking and the reading."""
    pk = ask_for_tryout(User.objects.create_user("vera")).pk

    def take_over() -> TryOut | None:
        job = TryOut.objects.get(pk=pk)
        job.cancel(at=now())
        job.queue_again(at=now())
        return TryOut.claim(pk, at=now())

    with other_process() as start:
        others: list[Future[TryOut | None]] = []

        def other() -> None:
            others.append(start(take_over))
            until_done_or_blocked(others[0])

        with once_after("UPDATE", '"attempt"', other):
            first = TryOut.claim(pk, at=now())
        second = others[0].result()
    assert first is not None and second is not None
    assert (first.attempt, second.attempt) == (1, 2)
    assert not first.complete(at=now()) and second.complete(at=now())


def test_a_claimed_chunk_has_the_attempt_of_its_claim(tmp_path: Path) -> None:
    judgment_set = make_set(tmp_path)
    (run,) = request(judgment_set, "token-f1")

    def take_over() -> list[RunChunk]:
        run.cancel(at=now())
        request(judgment_set, "token-f1")
        return scheduling.claim("light", at=now())

    with other_process() as start:
        others: list[Future[list[RunChunk]]] = []

        def other() -> None:
            others.append(start(take_over))
            until_done_or_blocked(others[0])

        with once_after("SELECT", '"benchmarks_runchunk"."id" IN (', other, before=True):
            (first,) = scheduling.claim("light", at=now())
        (second,) = others[0].result()
    assert (first.attempt, second.attempt) == (1, 2)


def test_scores_that_come_while_a_stopped_run_is_asked_for_again_block_nobody(
    tmp_path: Path,
) -> None:
    judgment_set = make_set(tmp_path)
    (run,) = request(judgment_set, "token-f1")
    (chunk,) = scheduling.claim("light", at=now())
    run.cancel(at=now())
    both_hold = threading.Barrier(2)

    def write() -> bool:
        with once_after("UPDATE", '"benchmarks_runchunk"', lambda: both_hold.wait(TIMEOUT_SECONDS)):
            return runs.complete_chunk(chunk, np.ones(chunk.n_items), 1.0, "cpu")

    with other_process() as start:
        writing = start(write)
        with once_after("SELECT", "FOR UPDATE", lambda: both_hold.wait(TIMEOUT_SECONDS)):
            request(judgment_set, "token-f1")
        wrote = writing.result()
    run, chunk = MetricRun.objects.get(), RunChunk.objects.get()
    assert run.status == "queued"
    # Whichever came first: the scores are there, or the chunk waits for another worker.
    assert (chunk.status, run.n_computed) == (("done", chunk.n_items) if wrote else ("queued", 0))
