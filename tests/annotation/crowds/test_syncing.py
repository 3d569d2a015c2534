"""What the platform says, taken in by asking and by notification; and what it does not say."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, CrowdCall, CrowdEvent, Payment, Publication
from annotation.crowds.providers.mturk.queue import Queue
from annotation.crowds.providers.provider import CrowdError
from annotation.crowds.providers.registry import provider_at
from annotation.crowds.services import notifications, scheduling, syncing
from annotation.crowds.services.identities import identity_of
from annotation.crowds.services.publication_specs import provider_of
from annotation.quality.services import ledgers
from annotation.rating.models import Assignment, Rating
from annotation.rating.services import participation
from mturk_sandbox import Sandbox, work
from mturk_sandbox.qualifications import own_value
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import make_study, published
from tests.annotation.crowds.workers import Turker

pytestmark = pytest.mark.django_db
Status = CrowdAssignment.Status


@pytest.fixture
def scene(sandbox: Sandbox) -> Publication:
    return published(make_study(2, scenes.small(ratings=2)), sandbox.url)


def turker(scene: Publication, sandbox: Sandbox, name: str) -> Turker:
    return Turker(sandbox, name).qualified(scene)


def sync(scene: Publication, **more: Any) -> syncing.SyncResult:
    return syncing.sync(scene, at=now(), **more)


def test_a_submission_at_the_platform_counts(scene: Publication, sandbox: Sandbox) -> None:
    done = turker(scene, sandbox, "AONE").do(scene.listings.first())
    assert done.status == Status.RATED
    report = sync(scene)
    done.refresh_from_db()
    assert (report.listings, report.submitted) == (1, 1)
    assert done.status == Status.SUBMITTED and done.problem == ""
    assert done.assignment is not None
    assert done.assignment.status == Assignment.Status.SUBMITTED
    assert done.assignment.hit.open_slots == 1
    assert not Payment.objects.exists()
    # Again: nothing is asked for whose counts are the same.
    assert sync(scene).listings == 0
    assert sync(scene, everything=True).submitted == 0


def test_ratings_without_a_submission_at_the_platform_are_neither_counted_nor_paid(
    scene: Publication, sandbox: Sandbox
) -> None:
    one = turker(scene, sandbox, "AONE").accept(scene.listings.first())
    one.rate(one.open())
    sync(scene, everything=True)
    assert CrowdAssignment.objects.get().status == Status.RATED
    assert Assignment.objects.get().status == Assignment.Status.HELD
    assert syncing.count_mismatches(scene)["rated here but not submitted there"] == 1


def test_a_submission_without_ratings_is_left_to_a_person(
    scene: Publication, sandbox: Sandbox
) -> None:
    one = turker(scene, sandbox, "AONE").accept(scene.listings.first())
    one.open()
    one.submit_fields([("assignmentId", one.assignment_id), ("nothing", "here")])
    sync(scene)
    crowd = CrowdAssignment.objects.get()
    assert crowd.status == Status.SUBMITTED and "not rated yet" in crowd.problem
    assert syncing.count_mismatches(scene)["submitted there but not rated here"] == 1


def test_ratings_that_only_the_platform_has_are_imported(
    scene: Publication, sandbox: Sandbox
) -> None:
    listing = scene.listings.first()
    assert listing is not None and listing.hit is not None
    candidate = listing.hit.candidates.get()
    one = turker(scene, sandbox, "AONE").accept(listing)
    one.submit_fields([(f"rating-{candidate.pk}", "2"), (f"comment-{candidate.pk}", "<hm>")])
    sync(scene)
    rating = Rating.objects.get()
    assert (rating.value, rating.comment, identity_of(rating.worker)) == (2, "<hm>", "AONE")
    crowd = CrowdAssignment.objects.get()
    assert crowd.problem == "" and crowd.assignment is not None
    assert crowd.assignment.status == Assignment.Status.SUBMITTED


def test_a_repeated_submission_is_paid_but_not_counted(sandbox: Sandbox) -> None:
    scene = published(make_study(1, scenes.small(ratings=10)), sandbox.url)
    for listing in scene.listings.all():
        assert listing.hit is not None
        candidate = listing.hit.candidates.get()
        one = turker(scene, sandbox, "AONE").accept(listing)
        one.submit_fields([(f"rating-{candidate.pk}", "2")])
    sync(scene)
    first, second = CrowdAssignment.objects.order_by("pk")
    assert (first.problem, second.assignment) == ("", None)
    assert "not counted again" in second.problem
    assert Rating.objects.count() == 1
    listing = scene.listings.first()
    assert listing is not None and listing.hit is not None and listing.hit.open_slots == 9
    assert scenes.topped_up(scene) == 1


def test_a_submission_by_another_worker_is_left_to_a_person(
    scene: Publication, sandbox: Sandbox
) -> None:
    one = turker(scene, sandbox, "AONE").accept(scene.listings.first())
    page = one.open(workerId="AFALSE")
    one.submit(one.rate(page))
    sync(scene)
    crowd = CrowdAssignment.objects.get()
    assert "another worker" in crowd.problem
    # Decisions and bonuses reach whom the platform names; what was rated in another's name does
    # not count for them.
    assert crowd.participation.worker.is_known_as("AONE")
    assert crowd.assignment is not None
    assert crowd.assignment.status != Assignment.Status.SUBMITTED


def test_late_submissions_are_stored(scene: Publication, sandbox: Sandbox) -> None:
    listing = scene.listings.first()
    slow = turker(scene, sandbox, "ASLOW").accept(listing)
    page = slow.rate(slow.open())
    Assignment.objects.update(lease_until=now() - timedelta(seconds=1))
    turker(scene, sandbox, "ATWO").do(listing)
    slow.submit(page)
    sync(scene)
    states = set(Assignment.objects.values_list("status", flat=True))
    assert states == {Assignment.Status.SUBMITTED}


def test_an_automatic_approval_is_recorded_as_paid(scene: Publication, sandbox: Sandbox) -> None:
    turker(scene, sandbox, "AONE").do(scene.listings.first())
    sync(scene)
    sandbox.advance(4 * 24 * 3600)
    assert sync(scene).decided == 1
    assert sync(scene, everything=True).decided == 0
    assert CrowdAssignment.objects.get().status == Status.APPROVED
    payment = Payment.objects.get()
    assert (payment.cents, payment.fee_cents, payment.call) == (3, 1, None)


def test_workers_excluded_by_the_study_are_excluded_by_the_platform(
    scene: Publication, sandbox: Sandbox
) -> None:
    done = turker(scene, sandbox, "AONE").do(scene.listings.first())
    sync(scene)
    by = scenes.researcher()
    ledgers.exclude_worker(done.participation, "always 4", by=by, at=now())
    sync(scene)
    sync(scene)
    assert scenes.send(scene).done == 1
    with sandbox.engine.transaction() as context:
        assert own_value(context, "AONE", scene.provider_ids["exclusion"]) == 1


def message(kind: str, worker: Turker, number: int = 1) -> str:
    event = {
        "EventType": kind,
        "EventTimestamp": "2026-11-21T10:00:00Z",
        "HITId": worker.hit_id,
        "AssignmentId": worker.assignment_id,
    }
    return json.dumps({"EventDocId": f"doc{number}", "EventDocVersion": "1", "Events": [event]})


def take(scene: Publication, body: str) -> int:
    return notifications.process_message(scene, body, provider=provider_of(scene), at=now())


def test_a_notification_delivered_twice_has_its_effect_once(
    scene: Publication, sandbox: Sandbox
) -> None:
    one = turker(scene, sandbox, "AONE")
    done = one.do(scene.listings.first())
    body = message("AssignmentSubmitted", one)
    assert (take(scene, body), take(scene, body)) == (1, 0)
    assert take(scene, json.dumps({"Message": body})) == 0
    done.refresh_from_db()
    assert done.status == Status.SUBMITTED and CrowdEvent.objects.count() == 1


def test_a_return_frees_the_slot_and_one_that_comes_late_frees_nothing_more(
    scene: Publication, sandbox: Sandbox
) -> None:
    listing = scene.listings.first()
    one = turker(scene, sandbox, "AONE").accept(listing)
    one.open()
    one.return_hit()
    late = message("AssignmentReturned", one)
    # Taken anew by the same worker before the notification comes.
    one.accept(listing).open()
    assert take(scene, late) == 1
    states = list(CrowdAssignment.objects.order_by("pk").values_list("status", flat=True))
    assert states == [Status.RETURNED, Status.ACCEPTED]
    assert Assignment.objects.get().status == Assignment.Status.HELD
    one.return_hit()
    assert take(scene, message("AssignmentReturned", one, 2)) == 1
    assignment = Assignment.objects.get()
    assert assignment.status == Assignment.Status.EXPIRED and assignment.hit.open_slots == 2


def test_notifications_of_a_queue_may_be_delivered_twice(sandbox: Sandbox) -> None:
    queue = make_queue(sandbox)
    offer = scenes.Offer(**{**scenes.OFFER.to_json(), "queue": queue})
    sandbox.engine.options.faults.change({"duplicate_every": 2})
    study = make_study(2, scenes.small(ratings=1))
    scene = published(study, sandbox.url, offer=offer)
    for listing, name in zip(scene.listings.all(), ("AONE", "ATWO"), strict=True):
        turker(scene, sandbox, name).do(listing)
    assert notifications.process_queue(scene, at=now()) >= 4
    assert set(CrowdAssignment.objects.values_list("status", flat=True)) == {Status.SUBMITTED}
    assert notifications.process_queue(scene, at=now()) == 0
    assert list(Queue(queue).messages()) == []


def test_an_unreadable_queue_is_reported_before_any_call_is_queued(sandbox: Sandbox) -> None:
    gone = make_queue(sandbox) + "-gone"
    offer = scenes.Offer(**{**scenes.OFFER.to_json(), "queue": gone})
    draft = scenes.drafted(make_study(1), sandbox.url, offer)
    with pytest.raises(CrowdError, match="cannot be read"):
        scenes.confirmed(draft)
    assert not CrowdCall.objects.exists()


def test_syncing_works_without_the_queue(sandbox: Sandbox) -> None:
    queue = make_queue(sandbox)
    offer = scenes.Offer(**{**scenes.OFFER.to_json(), "queue": queue})
    scene = published(make_study(1, scenes.small(ratings=1)), sandbox.url, offer=offer)
    turker(scene, sandbox, "AONE").do(scene.listings.first())
    scene.offer["queue"] += "-gone"
    scene.save()
    scheduling.sync_publication(scene.pk, at=now())
    assert CrowdAssignment.objects.get().status == Status.SUBMITTED
    scene.refresh_from_db()
    assert scene.problem == ""


def test_excluded_workers_are_excluded_before_the_first_hit(
    sandbox: Sandbox,
) -> None:
    study = make_study(1, scenes.small(ratings=1))
    out = participation.join(
        study, provider_at("mturk", sandbox.url).id_namespace, "AOUT", at=now()
    )
    out.excluded_at = now()
    out.save()
    with sandbox.engine.transaction() as context:
        work.ensure_worker(context, "AOUT")
    published(study, sandbox.url)
    done = CrowdCall.objects.filter(kind__in=("exclude", "create")).order_by("done_at")
    assert [call.kind for call in done] == ["exclude", "create"]


def make_queue(sandbox: Sandbox) -> str:
    import boto3

    sqs = boto3.client("sqs", region_name="us-east-1", endpoint_url=sandbox.url)
    return str(sqs.create_queue(QueueName="turk")["QueueUrl"])
