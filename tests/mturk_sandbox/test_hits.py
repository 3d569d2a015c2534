"""HITs: types, tokens, states and counts, changes, ends."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from mturk_sandbox import Sandbox
from tests.mturk_sandbox.people import DAY, START, Person, balances, client, terms


def state(alice: Any, hit_id: str) -> tuple[str, int, int, int]:
    """Status, then pending, available and completed."""
    hit = alice.get_hit(HITId=hit_id)["HIT"]
    names = ("Pending", "Available", "Completed")
    counts = [hit[f"NumberOfAssignments{name}"] for name in names]
    return hit["HITStatus"], counts[0], counts[1], counts[2]


def created(alice: Any, **changes: Any) -> str:
    return str(alice.create_hit(**terms(**changes))["HIT"]["HITId"])


def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def test_the_same_values_are_the_same_type(alice: Any) -> None:
    kind = {k: v for k, v in terms().items() if k not in ("LifetimeInSeconds", "Question")}
    first = alice.create_hit_type(**kind)["HITTypeId"]
    assert alice.create_hit_type(**kind)["HITTypeId"] == first
    assert alice.create_hit(**terms(Reward="0.1"))["HIT"]["HITTypeId"] == first
    assert alice.create_hit_type(**{**kind, "Reward": "0.11"})["HITTypeId"] != first
    hit = alice.create_hit_with_hit_type(
        HITTypeId=first, LifetimeInSeconds=60, Question=terms()["Question"], MaxAssignments=3
    )["HIT"]
    assert (hit["Title"], hit["Reward"], hit["MaxAssignments"]) == ("Rate answers", "0.10", 3)
    with pytest.raises(ClientError, match="HITType 3NONE does not exist"):
        alice.create_hit_with_hit_type(HITTypeId="3NONE", LifetimeInSeconds=60, Question="<a/>")


def test_a_new_hit_is_assignable(alice: Any) -> None:
    hit = alice.create_hit(**terms(RequesterAnnotation="row 7"))["HIT"]
    assert hit["HITStatus"] == "Assignable"
    assert hit["HITReviewStatus"] == "NotReviewed"
    assert hit["RequesterAnnotation"] == "row 7"
    assert hit["CreationTime"].timestamp() == START
    assert hit["Expiration"].timestamp() == START + 3600
    assert hit["AutoApprovalDelayInSeconds"] == 30 * DAY


def test_states_follow_the_assignments(alice: Any, worker: Callable[[str], Person]) -> None:
    hit = created(alice, MaxAssignments=2)
    bob, carol = worker("A1BOB"), worker("A2CAROL")
    assignment_id = bob.accept(hit)
    assert state(alice, hit) == ("Assignable", 1, 1, 0)
    hers = carol.accept(hit)
    assert state(alice, hit) == ("Unassignable", 2, 0, 0)
    carol.post(f"/worker/assignments/{hers}/return/")
    assert state(alice, hit) == ("Assignable", 1, 1, 0)
    bob.submit(assignment_id, rating=3)
    # What is submitted and not reviewed is in none of the three numbers, as the API says of each.
    assert state(alice, hit) == ("Assignable", 0, 1, 0)
    carol.do(hit)
    assert state(alice, hit) == ("Reviewable", 0, 0, 0)
    alice.approve_assignment(AssignmentId=assignment_id)
    assert state(alice, hit) == ("Reviewable", 0, 0, 1)


def test_a_hit_expires_while_a_worker_has_an_assignment(
    sandbox: Sandbox, alice: Any, bob: Person
) -> None:
    hit = created(alice, MaxAssignments=5, AssignmentDurationInSeconds=7200)
    assignment_id = bob.accept(hit)
    sandbox.advance(3600)
    assert state(alice, hit) == ("Unassignable", 1, 0, 0)
    assert bob.submit(assignment_id, rating=3)[0] == 200
    assert state(alice, hit) == ("Reviewable", 0, 0, 0)


def test_an_assignment_is_abandoned_after_its_duration(
    sandbox: Sandbox, alice: Any, bob: Person
) -> None:
    hit = created(alice)
    assignment_id = bob.accept(hit)
    sandbox.advance(600)
    assert state(alice, hit) == ("Assignable", 0, 1, 0)
    status, text, _ = bob.submit(assignment_id, rating=3)
    assert status == 409 and "run out" in text
    assert alice.list_assignments_for_hit(HITId=hit)["NumResults"] == 0
    # Whoever abandoned it may take it again.
    assert bob.accept(hit) != assignment_id


def test_a_hit_is_deleted_when_all_is_reviewed(alice: Any, bob: Person) -> None:
    hit = created(alice)
    with pytest.raises(ClientError, match="Assignable"):
        alice.delete_hit(HITId=hit)
    assignment_id = bob.do(hit)
    with pytest.raises(ClientError, match="neither approved nor rejected"):
        alice.delete_hit(HITId=hit)
    alice.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="Empty.")
    alice.delete_hit(HITId=hit)
    assert alice.list_hits()["HITs"] == []
    assert state(alice, hit)[0] == "Disposed"
    with pytest.raises(ClientError, match="Disposed"):
        alice.approve_assignment(AssignmentId=assignment_id, OverrideRejection=True)
    with pytest.raises(ClientError, match="Disposed"):
        alice.update_expiration_for_hit(HITId=hit, ExpireAt=at(START + 99))


def test_hits_are_disposed_of_after_120_days(sandbox: Sandbox, alice: Any, bob: Person) -> None:
    hit = created(alice)
    bob.do(hit)
    sandbox.advance(30 * DAY)  # approved by itself
    sandbox.advance(120 * DAY - 1)
    assert state(alice, hit)[0] == "Reviewable"
    sandbox.advance(1)
    assert state(alice, hit)[0] == "Disposed"


def test_the_expiration_can_be_moved(sandbox: Sandbox, alice: Any) -> None:
    hit = created(alice)
    alice.update_expiration_for_hit(HITId=hit, ExpireAt=at(0))
    assert state(alice, hit) == ("Reviewable", 0, 0, 0)
    assert balances(sandbox.url) == (1_000_000, 0)
    alice.update_expiration_for_hit(HITId=hit, ExpireAt=at(START + 50))
    assert state(alice, hit) == ("Assignable", 0, 1, 0)
    assert balances(sandbox.url) == (1_000_000 - 12, 12)
    sandbox.advance(50)
    assert state(alice, hit)[0] == "Reviewable"
    alice.update_expiration_for_hit(HITId=hit, ExpireAt=at(START))
    with pytest.raises(ClientError, match="ExpireAt"):
        alice.update_expiration_for_hit(HITId=hit, ExpireAt=at(START + 3 * 366 * DAY))


def test_assignments_are_added_below_ten_or_above(alice: Any) -> None:
    hit = created(alice, MaxAssignments=3)
    alice.create_additional_assignments_for_hit(HITId=hit, NumberOfAdditionalAssignments=6)
    assert state(alice, hit) == ("Assignable", 0, 9, 0)
    with pytest.raises(ClientError) as caught:
        alice.create_additional_assignments_for_hit(HITId=hit, NumberOfAdditionalAssignments=1)
    code = caught.value.response["TurkErrorCode"]
    assert code == "AWS.MechanicalTurk.InvalidMaximumAssignmentsIncrease"
    many = created(alice, MaxAssignments=10)
    alice.create_additional_assignments_for_hit(HITId=many, NumberOfAdditionalAssignments=1)
    assert state(alice, many)[2] == 11


def test_a_finished_hit_opens_again_when_extended(alice: Any, bob: Person) -> None:
    hit = created(alice)
    bob.do(hit)
    alice.create_additional_assignments_for_hit(HITId=hit, NumberOfAdditionalAssignments=1)
    assert state(alice, hit) == ("Assignable", 0, 1, 0)


class TestTokens:
    """The same UniqueRequestToken within 24 hours."""

    def test_no_second_hit_is_created(self, sandbox: Sandbox, alice: Any) -> None:
        hit = created(alice, UniqueRequestToken="t-1")
        kind = alice.get_hit(HITId=hit)["HIT"]["HITTypeId"]
        with pytest.raises(alice.exceptions.RequestError, match=hit) as caught:
            alice.create_hit_with_hit_type(
                HITTypeId=kind,
                LifetimeInSeconds=60,
                Question=terms()["Question"],
                UniqueRequestToken="t-1",
            )
        code = caught.value.response["TurkErrorCode"]
        assert code == "AWS.MechanicalTurk.HitAlreadyExists"
        assert alice.list_hits()["NumResults"] == 1
        assert balances(sandbox.url)[1] == 12

    def test_a_token_can_be_reused_after_24_hours(self, sandbox: Sandbox, alice: Any) -> None:
        created(alice, UniqueRequestToken="t-1")
        sandbox.advance(DAY - 1)
        with pytest.raises(ClientError):
            created(alice, UniqueRequestToken="t-1")
        sandbox.advance(1)
        created(alice, UniqueRequestToken="t-1")
        assert alice.list_hits()["NumResults"] == 2

    def test_a_refused_request_does_not_use_up_its_token(self, alice: Any) -> None:
        with pytest.raises(ClientError):
            created(alice, UniqueRequestToken="t-1", Question="<no")
        created(alice, UniqueRequestToken="t-1")

    def test_another_account_has_tokens_of_its_own(self, sandbox: Sandbox, alice: Any) -> None:
        created(alice, UniqueRequestToken="t-1")
        created(client(sandbox.url, key="AKIDCAROL"), UniqueRequestToken="t-1")

    def test_a_repeated_extension_is_refused(self, alice: Any) -> None:
        hit = created(alice)
        more = {"HITId": hit, "NumberOfAdditionalAssignments": 1, "UniqueRequestToken": "t-1"}
        first = alice.create_additional_assignments_for_hit(**more)
        request_id = first["ResponseMetadata"]["RequestId"]
        with pytest.raises(ClientError, match="already been processed") as caught:
            alice.create_additional_assignments_for_hit(**more)
        assert request_id in str(caught.value)
        assert alice.get_hit(HITId=hit)["HIT"]["MaxAssignments"] == 2
