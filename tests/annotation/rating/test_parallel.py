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
from django.utils.timezone import now

from annotation.rating.models import Assignment, Rating, RatingChange
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import RatingInput
from annotation.studies.errors import StudyError
from annotation.studies.intake import CandidateInput, PairInput
from annotation.studies.models import Stage, StudyCandidate
from annotation.studies.services.candidates import add_candidates, add_pairs
from concord.protocols import RatingRule
from tests.annotation import factories
from tests.annotation.rating.invariants import assert_complete, assert_invariants
from tests.annotation.rating.rating_load import rate_patiently

pytestmark = pytest.mark.django_db(transaction=True)
THREADS = 12
Status = Assignment.Status


def at_once(work, given):
    """`work` on every item, all threads let off together."""
    items = list(given)
    gate = threading.Barrier(len(items))

    def run(item):
        gate.wait()
        return work(item)

    return factories.in_parallel(run, items, len(items))


def one_hit(ratings: int) -> Stage:
    return factories.open_study(factories.plain(rating_rules=(RatingRule(ratings),)), passages=1)


def test_a_hit_goes_to_no_more_workers_than_wanted():
    stage = one_hit(3)
    workers = factories.workers(stage.study, THREADS)
    for _ in range(3):
        found = at_once(lambda w: handing_out.hand_out(w, stage, at=now()), workers)
        assert len({a.pk for a in found if a}) == 3
        assert_invariants(stage.study)


def test_all_workers_get_a_hit_while_there_are_enough_though_all_look_at_the_same_rows():
    stage = factories.open_study(factories.plain(rating_rules=(RatingRule(4),)), passages=3)
    workers = factories.workers(stage.study, THREADS)
    found = at_once(lambda w: handing_out.hand_out(w, stage, at=now()), workers)
    assert None not in found, "3 HITs of 4 slots are enough for 12 workers"
    assert handing_out.hand_out(factories.worker(stage.study, "late"), stage, at=now()) is None
    assert_invariants(stage.study)


def test_everybody_who_comes_gets_the_test_at_once():
    """The test is one HIT: its row being locked must not look like there being none."""
    study = factories.make_study(factories.TESTED, factories.candidates(1))
    add_candidates(study, factories.keyed(5), use=StudyCandidate.Use.QUALIFICATION)
    stage = factories.open_stage(study, "qualification")
    workers = factories.workers(study, THREADS)
    found = at_once(lambda w: handing_out.hand_out(w, stage, at=now()), workers)
    assert None not in found
    assert_invariants(study)


def test_one_workers_many_tabs_show_one_task():
    stage = factories.open_study(passages=8)
    worker = factories.worker(stage.study, "ann")
    found = at_once(lambda _: handing_out.hand_out(worker, stage, at=now()), range(THREADS))
    assert len({a.pk for a in found}) == 1
    assert_invariants(stage.study)


def test_one_workers_tabs_take_a_lapsed_task_up_once():
    stage = factories.open_study(passages=2)
    worker = factories.worker(stage.study, "ann")
    factories.let_lapse(handing_out.hand_out(worker, stage, at=now()))
    found = at_once(lambda _: handing_out.hand_out(worker, stage, at=now()), range(THREADS))
    assert len({a.pk for a in found}) == 1
    assert_invariants(stage.study)


def test_taking_up_a_lapsed_task_while_the_other_tab_submits_it():
    stage = factories.open_study(passages=6, each=1)
    worker = factories.worker(stage.study, "ann")
    for _ in range(6):
        held = handing_out.hand_out(worker, stage, at=now())
        factories.rate_all(held)
        factories.let_lapse(held)
        handing_out.release_expired(stage, at=now())

        def act(number, held=held):
            if number % 2:
                return handing_out.submit(held, at=now())
            return handing_out.hand_out(worker, stage, at=now())

        at_once(act, range(4))
        assert_invariants(stage.study)
        held.refresh_from_db()
        assert held.status == Status.SUBMITTED


def test_saving_and_submitting_from_many_tabs_is_one_submission():
    stage = factories.open_study()
    held = handing_out.hand_out(factories.worker(stage.study, "ann"), stage, at=now())
    pk = factories.members(held)[0]

    def save(value):
        return handing_out.save_rating(held, pk, RatingInput(value), at=now())

    at_once(save, [1, 2, 3, 4, 5, 1, 2, 3])
    assert Rating.objects.count() == 1
    rating = Rating.objects.get()
    said = [*RatingChange.objects.order_by("pk").values_list("value", flat=True), rating.value]
    assert all(a != b for a, b in itertools.pairwise(said)), "each change once, in order"
    factories.rate_all(held)
    found = at_once(lambda _: handing_out.submit(held, at=now()), range(THREADS))
    assert {(a.status, a.submitted_at) for a in found} == {
        (Status.SUBMITTED, found[0].submitted_at)
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
    found = at_once(lambda a: handing_out.submit(a, at=now()), holds)
    assert Counter(a.status for a in found) == {Status.SUBMITTED: 1, Status.SURPLUS: 5}
    assert_complete(stage.study)


def test_leases_are_released_once_however_many_look():
    stage = factories.open_study(passages=8)
    workers = factories.workers(stage.study, THREADS)
    for held in [handing_out.hand_out(worker, stage, at=now()) for worker in workers]:
        factories.let_lapse(held)
    found = at_once(lambda _: handing_out.release_expired(stage, at=now()), range(THREADS))
    assert sum(found) == THREADS
    assert set(Assignment.objects.values_list("status", flat=True)) == {Status.EXPIRED}
    assert_invariants(stage.study)


def test_a_test_posted_many_times_is_one_try():
    study = factories.make_study(factories.TESTED, factories.candidates(1))
    add_candidates(study, factories.keyed(5), use=StudyCandidate.Use.QUALIFICATION)
    stage = factories.open_stage(study, "qualification")
    found = factories.join(study, "ann")
    held = handing_out.hand_out(found.worker, stage, at=now())
    factories.rate_all(held, 5)

    def post(_):
        return participation.grade_test(handing_out.submit(held, at=now())).tries_left

    assert set(at_once(post, range(8))) == {1}
    found.refresh_from_db()
    assert (found.tries, found.qualified) == (1, "not yet")
    again = at_once(lambda _: participation.retry_test(found, at=now()), range(8))
    assert sum(a is not None for a in again) == 1
    assert_invariants(study)


def test_concurrent_submission_retry_and_resumption_of_a_test_do_not_deadlock():
    study = factories.make_study(factories.TESTED, factories.candidates(1))
    add_candidates(study, factories.keyed(5), use=StudyCandidate.Use.QUALIFICATION)
    stage = factories.open_stage(study, "qualification")
    for number in range(6):
        found = factories.join(study, f"w{number}")
        held = handing_out.hand_out(found.worker, stage, at=now())
        factories.rate_all(held, 5)
        factories.let_lapse(held)

        def act(what, found=found, held=held):
            if what == 0:
                return participation.submit_test(held, at=now())
            if what == 1:
                return participation.retry_test(found, at=now())
            return handing_out.hand_out(found.worker, stage, at=now())

        at_once(act, [0, 0, 0, 1, 1, 1, 2, 2, 2])
        assert_invariants(study)


def test_a_stage_opened_by_many_is_packed_once():
    study = factories.make_study(given=factories.candidates(5))

    def try_to_open(_):
        try:
            return factories.open_stage(study).status
        except StudyError:
            return "refused"

    assert Counter(at_once(try_to_open, range(6)))["refused"] == 5
    assert study.stages.get().hits.count() == 5


def test_concurrent_uploads_are_serialised():
    study = factories.make_study()
    files = [factories.candidates(1)]
    for number in range(1, 6):
        given = [factories.instance(number * 10 + at) for at in range(3)]
        files.append([CandidateInput(f"f{number}-{i.key}", i, "x") for i in given])
    at_once(lambda given: add_candidates(study, given), files)
    assert study.candidates.count() == 3 + 15


def test_many_requests_of_a_new_worker_make_one_worker():
    study = factories.make_study()
    assert len({p.pk for p in at_once(lambda _: factories.join(study, "ann"), range(THREADS))}) == 1


def test_a_careless_crowd_fills_every_slot_and_breaks_no_promise():
    """The small form of tests/slow/test_rating_load.py."""
    seed = 1
    study = factories.make_study(
        factories.plain(rating_rules=(RatingRule(3),)), factories.candidates(30, 3), seed=seed
    )
    pairs = [
        PairInput(f"p{at}", factories.instance(100 + at // 3), "right", f"wrong {at}", "")
        for at in range(12)
    ]
    add_pairs(study, pairs)
    stage = factories.open_stage(study)
    crowd = list(enumerate(factories.workers(study, THREADS)))
    found = factories.in_parallel(
        lambda one: rate_patiently(one[1], stage, seed * 1000 + one[0]), crowd, THREADS
    )
    happened = sum(found, Counter())
    assert_complete(study)
    for what in ("walked away", "came back late", "returned", "was submitted"):
        assert happened[what] > 0, happened
    assert Assignment.objects.count() >= 30 * 3 + 8 * 3


def test_processes_keep_the_promises_too(database_url):
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
        said, _ = process.communicate(timeout=600)
        assert process.returncode == 0, said
    assert_invariants(stage.study)
    last = factories.worker(stage.study, "last")
    rate_patiently(last, stage, 9, mishaps=0)
    for worker in factories.workers(stage.study, 6):
        rate_patiently(worker, stage, 9, mishaps=0)
    assert_complete(stage.study)
