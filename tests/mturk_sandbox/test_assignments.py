"""Assignments reviewed, bonuses, and every cent of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from botocore.exceptions import ClientError

from mturk_sandbox import Sandbox
from mturk_sandbox.answers import NAMESPACE
from mturk_sandbox.money import assignment_fee, bonus_fee, cents, dollars
from tests.mturk_sandbox.people import DAY, START, Person, balances, client, ledger, terms

FULL = 1_000_000


def one_hit(alice: Any, **changes: Any) -> str:
    return str(alice.create_hit(**terms(**changes))["HIT"]["HITId"])


def test_an_assignment_is_listed_once_submitted(sandbox: Sandbox, alice: Any, bob: Person) -> None:
    hit = one_hit(alice)
    assignment_id = bob.accept(hit)
    assert alice.list_assignments_for_hit(HITId=hit)["Assignments"] == []
    with pytest.raises(ClientError, match=f"Assignment {assignment_id} does not exist"):
        alice.get_assignment(AssignmentId=assignment_id)
    sandbox.advance(60)
    bob.submit(assignment_id, rating="4", words=["ä & <b>", "2"], hitId="ignored", empty="")
    (assignment,) = alice.list_assignments_for_hit(HITId=hit)["Assignments"]
    assert (assignment["AssignmentId"], assignment["WorkerId"], assignment["HITId"]) == (
        assignment_id,
        "A1BOB",
        hit,
    )
    assert assignment["AssignmentStatus"] == "Submitted"
    times = ("AcceptTime", "SubmitTime", "Deadline", "AutoApprovalTime")
    assert [assignment[name].timestamp() - START for name in times] == [0, 60, 600, 60 + 30 * DAY]
    assert "ApprovalTime" not in assignment and "RejectionTime" not in assignment
    root = ElementTree.fromstring(assignment["Answer"])
    texts = {
        answer.findtext(f"{{{NAMESPACE}}}QuestionIdentifier"): answer.findtext(
            f"{{{NAMESPACE}}}FreeText"
        )
        for answer in root
    }
    assert texts == {"rating": "4", "words": "ä & <b>|2", "empty": ""}
    both = alice.get_assignment(AssignmentId=assignment_id)
    assert both["Assignment"] == assignment and both["HIT"]["HITId"] == hit


def test_approving_pays_reward_and_fee(sandbox: Sandbox, alice: Any, bob: Person) -> None:
    hit = one_hit(alice)
    assignment_id = bob.do(hit)
    assert balances(sandbox.url) == (FULL - 12, 12)
    alice.approve_assignment(AssignmentId=assignment_id, RequesterFeedback="Thanks.")
    assert balances(sandbox.url) == (FULL - 12, 0)
    assignment = alice.get_assignment(AssignmentId=assignment_id)["Assignment"]
    assert (assignment["AssignmentStatus"], assignment["RequesterFeedback"]) == (
        "Approved",
        "Thanks.",
    )
    assert assignment["ApprovalTime"].timestamp() == START
    with pytest.raises(ClientError, match="state 'Approved'"):
        alice.approve_assignment(AssignmentId=assignment_id)
    with pytest.raises(ClientError, match="state 'Approved'"):
        alice.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="No.")
    assert "$0.10" in bob.get("/worker/dashboard/")


def test_rejecting_frees_the_money_and_can_be_overridden(
    sandbox: Sandbox, alice: Any, bob: Person
) -> None:
    assignment_id = bob.do(one_hit(alice))
    for bad in ("", "\x07bell", "x" * 1025):
        with pytest.raises(ClientError, match="RequesterFeedback"):
            alice.reject_assignment(AssignmentId=assignment_id, RequesterFeedback=bad)
    alice.reject_assignment(
        AssignmentId=assignment_id, RequesterFeedback="All answers are the same."
    )
    assert balances(sandbox.url) == (FULL, 0)
    assert "All answers are the same." in bob.get("/worker/dashboard/")
    with pytest.raises(ClientError, match="status of: Submitted"):
        alice.approve_assignment(AssignmentId=assignment_id)
    sandbox.advance(30 * DAY)
    alice.approve_assignment(AssignmentId=assignment_id, OverrideRejection=True)
    assert balances(sandbox.url) == (FULL - 12, 0)


def test_a_rejection_is_final_after_30_days(sandbox: Sandbox, alice: Any, bob: Person) -> None:
    assignment_id = bob.do(one_hit(alice))
    alice.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="No.")
    sandbox.advance(30 * DAY + 1)
    with pytest.raises(ClientError, match="30 days"):
        alice.approve_assignment(AssignmentId=assignment_id, OverrideRejection=True)


def test_unreviewed_assignments_are_approved_automatically(
    sandbox: Sandbox, alice: Any, bob: Person
) -> None:
    assignment_id = bob.do(one_hit(alice, AutoApprovalDelayInSeconds=100))
    sandbox.advance(99)
    assert (
        alice.get_assignment(AssignmentId=assignment_id)["Assignment"]["AssignmentStatus"]
        == "Submitted"
    )
    sandbox.advance(500)
    assignment = alice.get_assignment(AssignmentId=assignment_id)["Assignment"]
    assert assignment["AssignmentStatus"] == "Approved"
    assert assignment["ApprovalTime"].timestamp() == START + 100
    again = bob.do(one_hit(alice, AutoApprovalDelayInSeconds=0))
    assert alice.get_assignment(AssignmentId=again)["Assignment"]["AssignmentStatus"] == "Approved"
    assert balances(sandbox.url) == (FULL - 24, 0)


def test_a_bonus_is_paid_once_for_a_token(sandbox: Sandbox, alice: Any, bob: Person) -> None:
    assignment_id = bob.do(one_hit(alice))
    bonus = {
        "WorkerId": "A1BOB",
        "AssignmentId": assignment_id,
        "BonusAmount": "1.5",
        "Reason": "Careful work.",
        "UniqueRequestToken": "b-1",
    }
    first = alice.send_bonus(**bonus)
    with pytest.raises(alice.exceptions.RequestError, match="already been processed") as caught:
        alice.send_bonus(**bonus)
    assert first["ResponseMetadata"]["RequestId"] in str(caught.value)
    assert balances(sandbox.url) == (FULL - 12 - 180, 12)
    (paid,) = alice.list_bonus_payments(AssignmentId=assignment_id)["BonusPayments"]
    assert (paid["BonusAmount"], paid["WorkerId"]) == ("1.50", "A1BOB")
    assert paid["GrantTime"].timestamp() == START
    assert "Careful work." in bob.get("/worker/dashboard/")
    sandbox.advance(DAY)
    alice.send_bonus(**bonus)  # the token is forgotten: the caller pays twice
    assert balances(sandbox.url)[0] == FULL - 12 - 360


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"WorkerId": "A9NOBODY"}, "not submitted by Worker"),
        ({"BonusAmount": "0"}, "BonusAmount"),
        ({"BonusAmount": "9999"}, "insufficient funds"),
        ({"Reason": " "}, "Reason"),
        ({"AssignmentId": "3NONE"}, "does not exist"),
    ],
)
def test_a_bonus_is_refused(
    sandbox: Sandbox, alice: Any, bob: Person, changes: dict[str, str], message: str
) -> None:
    assignment_id = bob.do(one_hit(alice))
    bonus = {"WorkerId": "A1BOB", "AssignmentId": assignment_id, "BonusAmount": "1", "Reason": "r"}
    with pytest.raises(ClientError, match=message):
        alice.send_bonus(**{**bonus, **changes})
    assert balances(sandbox.url) == (FULL - 12, 12)


def test_bonuses_are_listed_for_a_hit_or_an_assignment(alice: Any) -> None:
    with pytest.raises(ClientError, match="Either a HITId or an AssignmentId"):
        alice.list_bonus_payments()


@pytest.mark.parametrize(
    ("reward", "places", "masters", "fee"),
    [
        (3, 1, False, 1),  # a cent at least
        (5, 9, False, 1),
        (6, 9, False, 2),  # 1.2 cents, rounded up
        (10, 9, False, 2),
        (10, 10, False, 4),
        (3, 10, False, 2),  # 1.2 cents, rounded up
        (100, 1, True, 25),
        (100, 10, True, 45),
        (0, 10, True, 0),
    ],
)
def test_fees(reward: int, places: int, masters: bool, fee: int) -> None:
    assert assignment_fee(reward, places, masters=masters) == fee


def test_bonus_fees_and_amounts() -> None:
    assert [bonus_fee(amount) for amount in (1, 5, 6, 100)] == [1, 1, 2, 20]
    assert [cents(text) for text in ("5", "0.1", "101.42", "3.")] == [500, 10, 10142, 300]
    assert [dollars(amount) for amount in (0, 7, 123)] == ["0.00", "0.07", "1.23"]


def test_masters_cost_more(sandbox: Sandbox, alice: Any) -> None:
    one_hit(
        alice,
        Reward="1.00",
        QualificationRequirements=[
            {"QualificationTypeId": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "Comparator": "Exists"}
        ],
    )
    assert balances(sandbox.url)[1] == 125


def test_a_hit_that_costs_more_than_there_is_is_not_created() -> None:
    with Sandbox(balance_cents=100) as poor:
        alice = client(poor.url)
        one_hit(alice, Reward="0.50")
        with pytest.raises(ClientError) as caught:
            one_hit(alice, Reward="0.50")
        assert caught.value.response["TurkErrorCode"] == "AWS.MechanicalTurk.InsufficientFunds"
        assert alice.get_account_balance()["AvailableBalance"] == "0.40"
        with pytest.raises(ClientError, match="insufficient"):
            alice.create_additional_assignments_for_hit(
                HITId=alice.list_hits()["HITs"][0]["HITId"], NumberOfAdditionalAssignments=1
            )
        assert balances(poor.url) == (40, 60)


def test_the_ledger_balances_after_every_operation(
    sandbox: Sandbox, alice: Any, worker: Callable[[str], Person]
) -> None:
    """Ten places at four cents: fees of 1.6 cents are two; five are approved, one is paid extra."""
    hit = one_hit(alice, Reward="0.04", MaxAssignments=10)
    assert balances(sandbox.url) == (FULL - 60, 60)
    done = [worker(f"A{number}X").do(hit) for number in range(6)]
    worker("A7X").accept(hit)
    for assignment in done[:5]:
        alice.approve_assignment(AssignmentId=assignment)
    alice.reject_assignment(AssignmentId=done[5], RequesterFeedback="Empty.")
    alice.send_bonus(WorkerId="A0X", AssignmentId=done[0], BonusAmount="0.02", Reason="r")
    sandbox.advance(3600)  # one abandons, three places nobody took: all released
    spent = 5 * 6 + 2 + 1
    assert balances(sandbox.url) == (FULL - spent, 0)
    sums: dict[str, int] = {}
    for entry in ledger(sandbox.url)["entries"]:
        sums[entry["kind"]] = sums.get(entry["kind"], 0) + entry["available"] + entry["held"]
    assert sums == {
        "deposit": FULL,
        "hold": 0,
        "release": 0,
        "reward": -20,
        "reward_fee": -10,
        "bonus": -2,
        "bonus_fee": -1,
    }
