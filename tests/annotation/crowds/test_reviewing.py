"""Decisions on submissions, the money, and both sides of the books."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, CrowdCall, Payment, Publication
from annotation.crowds.services import outbox, payment_totals, reviewing, syncing
from annotation.crowds.services.identities import identity_of
from annotation.crowds.services.publication_specs import provider_of
from annotation.crowds.services.reviewing import ApprovalRule
from annotation.rating.models import Worker
from core.refusals import RefusedError
from mturk_sandbox import Sandbox
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import make_study, published, requester
from tests.annotation.crowds.workers import Turker

pytestmark = pytest.mark.django_db
Status = CrowdAssignment.Status


@pytest.fixture
def rosa(db: None) -> User:
    return scenes.researcher()


@pytest.fixture
def scene(sandbox: Sandbox) -> Publication:
    """Three HITs of two ratings; two workers have done all, one of them a HIT without ratings."""
    scene = published(make_study(3, scenes.small(ratings=2)), sandbox.url)
    for name in ("AONE", "ATWO"):
        turker = Turker(sandbox, name).qualified(scene)
        for number, listing in enumerate(scene.listings.all()):
            if name == "ATWO" and number == 2:
                turker.accept(listing).submit_fields([("nothing", "x")])
            else:
                turker.hand_in(listing)
    syncing.sync(scene, at=now())
    return scene


def known(scene: Publication, name: str) -> Any:
    return Worker.objects.known_as(provider_of(scene).id_namespace, name)


def submitted(scene: Publication) -> list[CrowdAssignment]:
    return list(reviewing.to_review(scene))


def test_the_rule_approves_what_is_complete_and_leaves_the_rest_to_a_person(
    scene: Publication, rosa: User
) -> None:
    assert reviewing.approve_by_rule(scene, ApprovalRule(), by=rosa, at=now()) == 5
    assert reviewing.approve_by_rule(scene, ApprovalRule(), by=rosa, at=now()) == 0
    scenes.send(scene)
    (left,) = submitted(scene)
    assert "not rated yet" in left.problem
    assert Payment.objects.count() == 5


def test_recorded_and_reported_payments_are_equal_to_the_cent(
    scene: Publication, sandbox: Sandbox, rosa: User
) -> None:
    reviewing.approve_by_rule(scene, ApprovalRule(), by=rosa, at=now())
    (bad,) = [one for one in submitted(scene) if one.problem]
    reviewing.reject(bad, "not done", "No answer was rated.", by=rosa, at=now())
    good = CrowdAssignment.objects.filter(problem="").first()
    assert good is not None
    scenes.send(scene)
    reviewing.bonus(good, 7, "Careful comments", by=rosa, at=now())
    scenes.send(scene)
    scene.refresh_from_db()
    totals = payment_totals.refresh(scene, at=now())
    assert totals.matches and totals.reported is not None
    assert (totals.recorded.rewards, totals.recorded.bonuses, totals.recorded.fees) == (
        15,
        7,
        5 + 2,
    )
    assert totals.states == {Status.APPROVED: 5, Status.REJECTED: 1}
    with sandbox.engine.transaction() as context:
        rows = context.all("SELECT kind, sum(-held - available) AS cents FROM ledger GROUP BY kind")
        spent = {row["kind"]: row["cents"] for row in rows}
    assert spent["reward"] + spent["bonus"] == 15 + 7
    assert spent["reward_fee"] + spent["bonus_fee"] == 5 + 2
    assert totals.committed == 6 * 4 + 9


def test_a_rejection_needs_a_reason_and_a_message(scene: Publication, rosa: User) -> None:
    one = submitted(scene)[0]
    for ground, feedback, message in (
        ("", "Because.", "Choose a reason"),
        ("not done", "  ", "a rejection needs one"),
        ("disagreement", "Others said 2.", "not a reason to withhold pay"),
        ("not read", "x" * 1025, "at most 1,024"),
    ):
        with pytest.raises(RefusedError, match=message):
            reviewing.reject(one, ground, feedback, by=rosa, at=now())
    assert not CrowdCall.objects.filter(kind="reject").exists()


def test_a_rejection_can_be_undone_for_thirty_days(
    scene: Publication, sandbox: Sandbox, rosa: User
) -> None:
    one = submitted(scene)[0]
    reviewing.reject(one, "not read", "Two seconds a rating.", by=rosa, at=now())
    scenes.send(scene)
    one.refresh_from_db()
    assert one.status == Status.REJECTED and not Payment.objects.exists()
    with pytest.raises(RefusedError, match="30 days"):
        reviewing.approve(one, by=rosa, at=now() + timedelta(days=31))
    reviewing.approve(one, feedback="We were wrong.", by=rosa, at=now())
    scenes.send(scene)
    one.refresh_from_db()
    assert one.status == Status.APPROVED and Payment.objects.get().cents == 3
    there = requester(sandbox.url).get_assignment(AssignmentId=one.provider_id)["Assignment"]
    assert there["AssignmentStatus"] == "Approved"


def test_nothing_is_paid_that_the_platform_does_not_report(sandbox: Sandbox, rosa: User) -> None:
    scene = published(make_study(1, scenes.small(ratings=2)), sandbox.url)
    one = Turker(sandbox, "AONE").qualified(scene).accept(scene.listings.first())
    one.rate(one.open())
    crowd = CrowdAssignment.objects.get()
    for ordered in (
        lambda: reviewing.approve(crowd, by=rosa, at=now()),
        lambda: reviewing.bonus(crowd, 5, "Thanks", by=rosa, at=now()),
        lambda: reviewing.reject(crowd, "not done", "No.", by=rosa, at=now()),
    ):
        with pytest.raises(RefusedError, match="has not reported"):
            ordered()
    assert reviewing.approve_by_rule(scene, ApprovalRule(), by=rosa, at=now()) == 0


def test_repeated_clicks_queue_one_call(scene: Publication, rosa: User) -> None:
    one = submitted(scene)[0]
    assert reviewing.approve(one, by=rosa, at=now()) == reviewing.approve(one, by=rosa, at=now())
    scenes.send(scene)
    with pytest.raises(RefusedError, match="approved already"):
        reviewing.approve(one, by=rosa, at=now())
    reviewing.bonus(one, 5, "Thanks", by=rosa, at=now())
    with pytest.raises(RefusedError, match="is queued already"):
        reviewing.bonus(one, 5, "Thanks", by=rosa, at=now())
    scenes.send(scene)
    with pytest.raises(RefusedError, match="was paid already"):
        reviewing.bonus(one, 5, "Thanks", by=rosa, at=now())
    assert Payment.objects.filter(kind="bonus").count() == 1


def test_a_bonus_that_failed_is_not_called_paid(scene: Publication, rosa: User) -> None:
    one = submitted(scene)[0]
    call = reviewing.bonus(one, 5, "Thanks", by=rosa, at=now())
    claimed = outbox.claim(scene, at=now())
    assert claimed == call and outbox.fail(claimed, "Refused.", at=now())
    with pytest.raises(RefusedError, match=r"not paid\. Retry"):
        reviewing.bonus(one, 5, "Thanks", by=rosa, at=now())
    outbox.retry_failed(scene)
    scenes.send(scene)
    assert Payment.objects.filter(kind="bonus").count() == 1


def test_a_bonus_stops_at_the_budget(scene: Publication, rosa: User) -> None:
    one = submitted(scene)[0]
    Publication.objects.update(budget_cents=payment_totals.committed_cents(scene) + 12)
    reviewing.bonus(one, 9, "Thanks", by=rosa, at=now())  # with 20%: eleven cents
    with pytest.raises(RefusedError, match="budget"):
        reviewing.bonus(one, 1, "More", by=rosa, at=now())
    with pytest.raises(RefusedError, match="Write a reason"):
        reviewing.bonus(one, 1, " ", by=rosa, at=now())


def test_a_bonus_with_a_lost_response_is_not_paid_twice_even_a_day_later(
    scene: Publication, sandbox: Sandbox, rosa: User
) -> None:
    first, second = submitted(scene)[:2]
    for crowd, hours in ((first, 0), (second, 25)):
        reviewing.bonus(crowd, 5, "Thanks", by=rosa, at=now())
        sandbox.engine.options.faults.change({"die_at": 1})
        assert outbox.run(scene, first_delay=0.002).waits == 1
        ahead = timedelta(hours=hours)
        sandbox.advance(hours * 3600)
        scenes.send(scene, clock=lambda ahead=ahead: ahead + now())
        paid = requester(sandbox.url).list_bonus_payments(AssignmentId=crowd.provider_id)
        assert len(paid["BonusPayments"]) == 1
    assert Payment.objects.filter(kind="bonus").count() == 2


def test_a_rule_may_ask_for_time(scene: Publication) -> None:
    from annotation.rating.models import Rating

    Rating.objects.filter(worker__in=known(scene, "AONE")).update(seconds=0.4)
    Rating.objects.filter(worker__in=known(scene, "ATWO")).update(seconds=9.0)
    approvable = reviewing.approvable(scene, ApprovalRule(min_seconds=2.0))
    assert {identity_of(one.participation.worker) for one in approvable} == {"ATWO"}
