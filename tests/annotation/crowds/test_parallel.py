"""Several processes at one outbox, and many workers at one HIT, at the same time."""

from __future__ import annotations

from collections import Counter

import pytest
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, CrowdCall
from annotation.crowds.services import arrivals, scheduling, syncing
from annotation.rating.models import Assignment
from mturk_sandbox import Sandbox
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import make_study, published, requester, small
from tests.annotation.crowds.workers import Turker
from tests.annotation.factories import in_parallel

pytestmark = pytest.mark.django_db(transaction=True)


def test_processes_share_an_outbox_without_making_a_call_twice(sandbox: Sandbox) -> None:
    publication = scenes.confirmed(scenes.drafted(make_study(10, small(ratings=1)), sandbox.url))
    runs = in_parallel(lambda _: scenes.send(publication), range(4), 4)
    assert sum(run.done for run in runs) == 2 + 1 + 10
    assert set(CrowdCall.objects.values_list("status", "attempt")) == {("done", 1)}
    hits = requester(sandbox.url).list_hits()["HITs"]
    assert Counter(hit["RequesterAnnotation"] for hit in hits) == Counter(
        publication.listings.values_list("key", flat=True)
    )


def test_one_process_at_a_time_works_on_a_publication(sandbox: Sandbox) -> None:
    publication = scenes.confirmed(scenes.drafted(make_study(2, small(ratings=1)), sandbox.url))
    with scheduling.exclusive(publication.pk) as is_alone:
        assert is_alone
        assert in_parallel(scheduling.make_calls, [publication.pk], 1) == [None]
    assert scheduling.make_calls(publication.pk) is not None


def test_workers_who_arrive_and_submit_together_fill_each_place_once(sandbox: Sandbox) -> None:
    study = make_study(2, small(ratings=6))
    publication = published(study, sandbox.url)
    listings = list(publication.listings.all())

    def work(number: int) -> None:
        turker = Turker(sandbox, f"AW{number}").qualified(publication)
        for listing in listings if number % 2 else reversed(listings):
            turker.accept(listing)
            ids = (turker.assignment_id, turker.worker_id, turker.hit_id)
            # Twice, as a reload does.
            first, again = (arrivals.arrive(listing, *ids, at=now()) for _ in range(2))
            assert first.pk == again.pk

    in_parallel(work, range(6), 6)
    assignments = Assignment.objects.filter(status=Assignment.Status.HELD)
    assert CrowdAssignment.objects.count() == assignments.count() == 12
    assert not study.stages.get(kind="full").hits.filter(open_slots__gt=0).exists()


def test_concurrent_records_of_a_report_count_once(sandbox: Sandbox) -> None:
    publication = published(make_study(1, small(ratings=3)), sandbox.url)
    listing = publication.listings.get()
    for name in ("AONE", "ATWO"):
        Turker(sandbox, name).qualified(publication).hand_in(listing)
    results = in_parallel(
        lambda _: syncing.sync(publication, everything=True, at=now()).submitted, range(4), 4
    )
    assert sum(results) == 2
    assert listing.hit is not None
    listing.hit.refresh_from_db()
    assert listing.hit.open_slots == 1
