"""Events in a queue, read with boto3's SQS client."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from mturk_sandbox import Sandbox
from tests.mturk_sandbox.people import Person, client, terms

EVENTS = [
    "AssignmentAccepted",
    "AssignmentAbandoned",
    "AssignmentReturned",
    "AssignmentSubmitted",
    "AssignmentRejected",
    "AssignmentApproved",
    "HITCreated",
    "HITExpired",
    "HITReviewable",
    "HITExtended",
    "HITDisposed",
]


@pytest.fixture
def sqs(sandbox: Sandbox) -> Any:
    return client(sandbox.url, "sqs")


@pytest.fixture
def queue(sqs: Any) -> str:
    return str(sqs.create_queue(QueueName="mturk-events")["QueueUrl"])


def listened(alice: Any, queue: str, *events: str) -> str:
    """A HIT type whose events go to the queue."""
    kind = {k: v for k, v in terms().items() if k not in ("LifetimeInSeconds", "Question")}
    type_id = str(alice.create_hit_type(**kind)["HITTypeId"])
    notification = {
        "Destination": queue,
        "Transport": "SQS",
        "Version": "2014-08-15",
        "EventTypes": list(events or EVENTS),
    }
    alice.update_notification_settings(HITTypeId=type_id, Notification=notification, Active=True)
    return type_id


def drained(sqs: Any, queue: str) -> list[dict[str, Any]]:
    """All messages, deleted as they are read."""
    bodies = []
    while messages := sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages"):
        for message in messages:
            bodies.append(json.loads(message["Body"]))
            sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
    return bodies


def test_the_life_of_a_hit_in_events(
    sandbox: Sandbox, alice: Any, bob: Person, sqs: Any, queue: str
) -> None:
    kind = listened(alice, queue)
    hit = alice.create_hit(**terms(MaxAssignments=2))["HIT"]["HITId"]
    bob.post(f"/worker/assignments/{bob.accept(hit)}/return/")
    bob.accept(hit)
    sandbox.advance(600)
    assignment_id = bob.do(hit)
    alice.create_additional_assignments_for_hit(HITId=hit, NumberOfAdditionalAssignments=1)
    alice.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="r")
    alice.approve_assignment(AssignmentId=assignment_id, OverrideRejection=True)
    sandbox.advance(3000)
    alice.delete_hit(HITId=hit)
    documents = drained(sqs, queue)
    events = [document["Events"][0] for document in documents]
    assert [event["EventType"] for event in events] == [
        "HITCreated",
        "AssignmentAccepted",
        "AssignmentReturned",
        "AssignmentAccepted",
        "AssignmentAbandoned",
        "AssignmentAccepted",
        "AssignmentSubmitted",
        "HITExtended",
        "AssignmentRejected",
        "AssignmentApproved",
        "HITExpired",
        "HITReviewable",
        "HITDisposed",
    ]
    # The elements that the API reference's pages on the SQS and SNS transports name.
    assert set(documents[6]) == {"EventDocVersion", "EventDocId", "CustomerId", "Events"}
    assert documents[6]["EventDocVersion"] == "2014-08-15"
    assert events[6] == {
        "EventType": "AssignmentSubmitted",
        "EventTimestamp": "2023-11-14T22:23:20Z",
        "HITTypeId": kind,
        "HITId": hit,
        "AssignmentId": assignment_id,
    }
    assert "AssignmentId" not in events[0]
    assert len({document["EventDocId"] for document in documents}) == len(documents)


def test_only_the_events_asked_for_while_active(
    alice: Any, bob: Person, sqs: Any, queue: str
) -> None:
    kind = listened(alice, queue, "AssignmentSubmitted")
    bob.do(alice.create_hit(**terms())["HIT"]["HITId"])
    off = {"Destination": queue, "Transport": "SQS", "Version": "2014-08-15"}
    off["EventTypes"] = ["AssignmentSubmitted"]
    alice.update_notification_settings(HITTypeId=kind, Notification=off, Active=False)
    bob.do(alice.create_hit(**terms())["HIT"]["HITId"])
    assert len(drained(sqs, queue)) == 1


def test_a_message_is_delivered_again_until_it_is_deleted(
    sandbox: Sandbox, alice: Any, sqs: Any, queue: str
) -> None:
    listened(alice, queue, "HITCreated")
    alice.create_hit(**terms())
    (first,) = sqs.receive_message(QueueUrl=queue)["Messages"]
    assert "Messages" not in sqs.receive_message(QueueUrl=queue)
    sandbox.advance(30)
    (again,) = sqs.receive_message(QueueUrl=queue)["Messages"]
    assert (again["MessageId"], again["Body"]) == (first["MessageId"], first["Body"])
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=first["ReceiptHandle"])  # an old receipt
    sandbox.advance(30)
    (last,) = sqs.receive_message(QueueUrl=queue)["Messages"]
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=last["ReceiptHandle"])
    sandbox.advance(30)
    assert "Messages" not in sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=0)


def test_some_messages_are_delivered_twice(
    sandbox: Sandbox, alice: Any, sqs: Any, queue: str
) -> None:
    sandbox.faults.change({"duplicate_every": 2})
    listened(alice, queue, "HITCreated")
    for _ in range(4):
        alice.create_hit(**terms())
    ids = [document["EventDocId"] for document in drained(sqs, queue)]
    assert (len(ids), len(set(ids))) == (6, 4)


def test_invalid_notifications_are_refused(alice: Any, queue: str) -> None:
    kind = listened(alice, queue)
    good = {
        "Destination": queue,
        "Transport": "SQS",
        "Version": "2014-08-15",
        "EventTypes": ["HITExpired"],
    }
    for changes, message in (
        ({"Destination": queue + "x"}, "does not exist on this server"),
        ({"Transport": "SNS"}, "by SQS only"),
    ):
        with pytest.raises(ClientError, match=message):
            alice.update_notification_settings(HITTypeId=kind, Notification={**good, **changes})
    with pytest.raises(ClientError, match="HITType 3NONE does not exist"):
        alice.update_notification_settings(HITTypeId="3NONE", Notification=good)
