"""The promises under real parallel connections to PostgreSQL, by threads and by processes."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
from collections import Counter

import pytest
from django.conf import settings
from django.db import connection
from django.utils.timezone import now

from annotation.rating.models import Assignment, Rating, RatingChange
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import Answer
from annotation.studies.intake import Item
from annotation.studies.models import Stage, StudyCandidate
from annotation.studies.services.candidates import add_items
from concord.protocols import RatingRule
from core.refusals import RefusedError
from tests.annotation import factories
from tests.annotation.rating.invariants import assert_complete, assert_invariants
from tests.annotation.rating.rating_load import rate_patiently

pytestmark = pytest.mark.django_db(transaction=True)
THREADS = 12
Status = Assignment.Status


def at_once(work, inputs):
    """`work` on every item, all threads let off together."""
    items = list(inputs)
    gate = threading.Barrier(len(items))

    def run(item):
        gate.wait()
        return work(item)

    return factories.in_parallel(run, items, len(items))


def one_hit(ratings: int) -> Stage:
    return factories.open_study(factories.plain(rating_rules=(RatingRule(ratings),)), passages=1)


def stage_with_pairs(seed: int = 1) -> Stage:
    study = factories.make_study(
        factories.plain(rating_rules=(RatingRule(3),)), factories.candidates(30, 3), seed=seed
    )
    pairs = [
        Item.minimal_pair(f"p{at}", factories.instance(100 + at // 3), "right", f"wrong {at}", "")
        for at in range(12)
    ]
    add_items(study, pairs, "pairs")
    return factories.open_stage(study)


def test_a_hit_goes_to_no_more_workers_than_wanted():
    stage = one_hit(3)
    workers = factories.workers(stage.study, THREADS)
    for _ in range(3):
        assignments = at_once(lambda w: handing_out.hand_out(w, stage, at=now()), workers)
        assert len({a.pk for a in assignments if a}) == 3
        assert_invariants(stage.study)


def test_all_workers_get_a_hit_at_once_while_there_are_enough():
    stage = factories.open_study(factories.plain(rating_rules=(RatingRule(4),)), passages=3)
    workers = factories.workers(stage.study, THREADS)
    assignments = at_once(lambda w: handing_out.hand_out(w, stage, at=now()), workers)
    assert None not in assignments, "3 HITs of 4 slots are enough for 12 workers"
    assert handing_out.hand_out(factories.worker(stage.study, "late"), stage, at=now()) is None
    assert_invariants(stage.study)


def test_everybody_who_comes_gets_the_test_at_once():
    """The test is one HIT: its row being locked must not look like there being none."""
    study = factories.make_study(factories.TESTED, factories.candidates(1))
    add_items(study, factories.keyed(5), use=StudyCandidate.Use.QUALIFICATION)
    stage = factories.open_stage(study, "qualification")
    workers = factories.workers(study, THREADS)
    assignments = at_once(lambda w: handing_out.hand_out(w, stage, at=now()), workers)
    assert None not in assignments
    assert_invariants(study)


def test_one_workers_many_tabs_show_one_task():
    stage = factories.open_study(passages=8)
    worker = factories.worker(stage.study, "ann")
    assignments = at_once(lambda _: handing_out.hand_out(worker, stage, at=now()), range(THREADS))
    assert len({a.pk for a in assignments}) == 1
    assert_invariants(stage.study)


def test_several_tabs_resume_an_expired_task_once():
    stage = factories.open_study(passages=2)
    worker = factories.worker(stage.study, "ann")
    factories.let_lapse(handing_out.hand_out(worker, stage, at=now()))
    assignments = at_once(lambda _: handing_out.hand_out(worker, stage, at=now()), range(THREADS))
    assert len({a.pk for a in assignments}) == 1
    assert_invariants(stage.study)


def test_one_tab_resumes_an_expired_task_while_another_submits_it():
    stage = factories.open_study(passages=6, each=1)
    worker = factories.worker(stage.study, "ann")
    for _ in range(6):
        assignment = handing_out.hand_out(worker, stage, at=now())
        factories.rate_all(assignment)
        factories.let_lapse(assignment)
        handing_out.release_expired(stage, at=now())

        def act(number, assignment=assignment):
            if number % 2:
                return handing_out.submit(assignment, at=now())
            return handing_out.hand_out(worker, stage, at=now())

        at_once(act, range(4))
        assert_invariants(stage.study)
        assignment.refresh_from_db()
        assert assignment.status == Status.SUBMITTED


def test_saving_and_submitting_from_many_tabs_is_one_submission():
    stage = factories.open_study()
    assignment = handing_out.hand_out(factories.worker(stage.study, "ann"), stage, at=now())
    pk = factories.members(assignment)[0]

    def save(value):
        return handing_out.save_rating(assignment, pk, Answer(value), at=now())

    at_once(save, [1, 2, 3, 4, 5, 1, 2, 3])
    assert Rating.objects.count() == 1
    rating = Rating.objects.get()
    values = [*RatingChange.objects.order_by("pk").values_list("value", flat=True), rating.value]
    assert all(a != b for a, b in itertools.pairwise(values)), "each change once, in order"
    factories.rate_all(assignment)
    results = at_once(lambda _: handing_out.submit(assignment, at=now()), range(THREADS))
    assert {(a.status, a.submitted_at) for a in results} == {
        (Status.SUBMITTED, results[0].submitted_at)
    }
    assert_invariants(stage.study)


def test_late_and_timely_submissions_race_for_one_slot():
    stage = one_hit(1)
    workers = factories.workers(stage.study, 6)
    holds = []
    for worker in workers:
        holds.append(handing_out.hand_out(worker, stage, at=now()))
        factories.rate_all(holds[-1])
        factories.let_lapse(holds[-1])
    handing_out.release_expired(stage, at=now())
    results = at_once(lambda a: handing_out.submit(a, at=now()), holds)
    assert Counter(a.status for a in results) == {Status.SUBMITTED: 1, Status.SURPLUS: 5}
    assert_complete(stage.study)


def test_leases_are_released_once_however_many_look():
    stage = factories.open_study(passages=8)
    workers = factories.workers(stage.study, THREADS)
    for assignment in [handing_out.hand_out(worker, stage, at=now()) for worker in workers]:
        factories.let_lapse(assignment)
    results = at_once(lambda _: handing_out.release_expired(stage, at=now()), range(THREADS))
    assert sum(results) == THREADS
    assert set(Assignment.objects.values_list("status", flat=True)) == {Status.EXPIRED}
    assert_invariants(stage.study)


def test_a_test_posted_many_times_is_one_attempt():
    study = factories.make_study(factories.TESTED, factories.candidates(1))
    add_items(study, factories.keyed(5), use=StudyCandidate.Use.QUALIFICATION)
    stage = factories.open_stage(study, "qualification")
    participant = factories.join(study, "ann")
    assignment = handing_out.hand_out(participant.worker, stage, at=now())
    factories.rate_all(assignment, 5)

    def post(_):
        return participation.grade_test(handing_out.submit(assignment, at=now())).tries_left

    assert set(at_once(post, range(8))) == {1}
    participant.refresh_from_db()
    assert (participant.tries, participant.qualified) == (1, "not yet")
    again = at_once(lambda _: participation.retry_test(participant, at=now()), range(8))
    assert sum(a is not None for a in again) == 1
    assert_invariants(study)


def test_concurrent_submission_retry_and_resumption_of_a_test_do_not_deadlock():
    study = factories.make_study(factories.TESTED, factories.candidates(1))
    add_items(study, factories.keyed(5), use=StudyCandidate.Use.QUALIFICATION)
    stage = factories.open_stage(study, "qualification")
    for number in range(6):
        participant = factories.join(study, f"w{number}")
        assignment = handing_out.hand_out(participant.worker, stage, at=now())
        factories.rate_all(assignment, 5)
        factories.let_lapse(assignment)

        def act(what, participant=participant, assignment=assignment):
            if what == 0:
                try:
                    return participation.submit_test(assignment, at=now())
                except RefusedError:  # another try has begun, without answers
                    return None
            if what == 1:
                return participation.retry_test(participant, at=now())
            return handing_out.hand_out(participant.worker, stage, at=now())

        at_once(act, [0, 0, 0, 1, 1, 1, 2, 2, 2])
        assert_invariants(study)


def test_a_stage_opened_by_many_is_packed_once():
    study = factories.make_study(candidates=factories.candidates(5))

    def try_to_open(_):
        try:
            return factories.open_stage(study).status
        except RefusedError:
            return "refused"

    assert Counter(at_once(try_to_open, range(6)))["refused"] == 5
    assert study.stages.get().hits.count() == 5


def test_concurrent_uploads_are_serialised():
    study = factories.make_study()
    files = [factories.candidates(1)]
    for number in range(1, 6):
        instances = [factories.instance(number * 10 + at) for at in range(3)]
        files.append([Item.single(f"f{number}-{i.key}", i, "x") for i in instances])
    at_once(lambda instances: add_items(study, instances), files)
    assert study.candidates.count() == 3 + 15


def test_many_requests_of_a_new_worker_make_one_worker():
    study = factories.make_study()
    assert len({p.pk for p in at_once(lambda _: factories.join(study, "ann"), range(THREADS))}) == 1


def test_a_careless_crowd_fills_every_slot_and_keeps_all_invariants():
    """The small form of tests/slow/test_rating_load.py."""
    seed = 1
    stage = stage_with_pairs(seed)
    study = stage.study
    crowd = list(enumerate(factories.workers(study, THREADS)))
    results = factories.in_parallel(
        lambda one: rate_patiently(one[1], stage, seed * 1000 + one[0]), crowd, THREADS
    )
    happened = sum(results, Counter())
    assert_complete(study)
    for what in ("walked away", "came back late", "returned", "was submitted"):
        assert happened[what] > 0, happened
    assert Assignment.objects.count() >= 30 * 3 + 8 * 3


def test_assigning_is_quick_where_statistics_say_that_tables_are_empty():
    """PostgreSQL then compares each row with each other: one query over six tables took minutes."""
    stage = stage_with_pairs()
    worker, *others = factories.workers(stage.study, 6)
    for rater in (worker, *others):
        for _ in range(12):
            assignment = handing_out.hand_out(rater, stage, at=now())
            factories.rate_all(assignment)
            handing_out.submit(assignment, at=now())
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE pg_class SET reltuples = 0, relpages = 1"
            " WHERE relkind = 'r' AND relname LIKE 'annotation%'"
        )
        cursor.execute("SET statement_timeout = '10s'")
    try:
        assert handing_out.hand_out(worker, stage, at=now())
        assert handing_out.tasks_left(worker, stage) > 0
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET statement_timeout")


def test_several_processes_keep_all_invariants(database_url):
    stage = factories.open_study(factories.plain(rating_rules=(RatingRule(3),)), passages=12)
    environment = os.environ | {
        "DATABASE_URL": database_url,
        "BROKER_URL": settings.CELERY_BROKER_URL,
        "SECRET_KEY": settings.SECRET_KEY,
    }
    module = "tests.annotation.rating.rating_load"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", f"import django; django.setup(); import runpy; "
             f"runpy.run_module('{module}', run_name='__main__')",
             *map(str, (stage.pk, first, 2, 5))],
            cwd=settings.BASE_DIR,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for first in (0, 2, 4)
    ]  # fmt: skip
    for process in running:
        output, _ = process.communicate(timeout=600)
        assert process.returncode == 0, output
    assert_invariants(stage.study)
    last = factories.worker(stage.study, "last")
    rate_patiently(last, stage, 9, mishaps=0)
    for worker in factories.workers(stage.study, 6):
        rate_patiently(worker, stage, 9, mishaps=0)
    assert_complete(stage.study)
