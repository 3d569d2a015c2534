"""Queues with the part of SQS's JSON 1.0 protocol that a reader of notifications needs.

A received message is hidden for the visibility timeout and delivered again unless it is deleted: at
least once, as in SQS. Times are those of the sandbox's clock.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Callable
from typing import Any

from mturk_sandbox.context import OperationCall, Parameters
from mturk_sandbox.errors import TurkError
from mturk_sandbox.notifications import queue_name

TARGET = "AmazonSQS"
ACCOUNT = "000000000000"
NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")
MAX_MESSAGES, MAX_VISIBILITY_SECONDS = 10, 43_200


def queue_error(kind: str, message: str) -> TurkError:
    return TurkError(f"com.amazonaws.sqs#{kind}", message)


def _required(parameters: Parameters, name: str) -> Any:
    if parameters.get(name) in (None, ""):
        raise queue_error("MissingParameter", f"The request must contain the parameter {name}.")
    return parameters[name]


def _queue(call: OperationCall, parameters: Parameters) -> str:
    name = queue_name(str(_required(parameters, "QueueUrl")))
    if call.one("SELECT 1 FROM queues WHERE name = ?", name) is None:
        raise queue_error("QueueDoesNotExist", "The specified queue does not exist.")
    return name


def _url(call: OperationCall, name: str) -> str:
    return f"{call.url}/{ACCOUNT}/{name}"


def create_queue(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Create a queue if it does not exist; returns its URL."""
    name = str(_required(parameters, "QueueName"))
    if not NAME.fullmatch(name):
        raise queue_error("InvalidParameterValue", "A queue's name has 1 to 80 of A-Z a-z 0-9 _ -.")
    seconds = int((parameters.get("Attributes") or {}).get("VisibilityTimeout", 30))
    query = "INSERT OR IGNORE INTO queues (name, visibility) VALUES (?, ?)"
    call.run(query, name, max(0, min(seconds, MAX_VISIBILITY_SECONDS)))
    return {"QueueUrl": _url(call, name)}


def get_queue_attributes(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """The ARN, which shows that the queue exists."""
    name = _queue(call, parameters)
    return {"Attributes": {"QueueArn": f"arn:aws:sqs:us-east-1:{ACCOUNT}:{name}"}}


def _md5(body: str) -> str:
    return hashlib.md5(body.encode(), usedforsecurity=False).hexdigest()


def receive_message(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Up to ten messages, the oldest first, which become hidden. It does not wait for messages."""
    name = _queue(call, parameters)
    row = call.one("SELECT visibility FROM queues WHERE name = ?", name)
    assert row is not None
    max_messages = max(1, min(int(parameters.get("MaxNumberOfMessages", 1)), MAX_MESSAGES))
    rows = call.all(
        "SELECT * FROM messages WHERE queue = ? AND visible_at <= ? ORDER BY seq LIMIT ?",
        name,
        call.now,
        max_messages,
    )
    messages = []
    for message in rows:
        receipt = uuid.uuid4().hex
        call.run(
            "UPDATE messages SET receipt = ?, received = received + 1, visible_at = ?"
            " WHERE seq = ?",
            receipt,
            call.now + row["visibility"],
            message["seq"],
        )
        messages.append(
            {
                "MessageId": message["id"],
                "ReceiptHandle": receipt,
                "MD5OfBody": _md5(message["body"]),
                "Body": message["body"],
                "Attributes": {
                    "SentTimestamp": str(int(message["sent"] * 1000)),
                    "ApproximateReceiveCount": str(message["received"] + 1),
                },
            }
        )
    return {"Messages": messages} if messages else {}


def delete_message(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Delete the message of a receipt handle; an outdated handle has no effect."""
    name, receipt = _queue(call, parameters), _required(parameters, "ReceiptHandle")
    call.run("DELETE FROM messages WHERE queue = ? AND receipt = ?", name, receipt)
    return {}


QUEUE_HANDLERS: dict[str, Callable[[OperationCall, Parameters], dict[str, Any]]] = {
    "CreateQueue": create_queue,
    "GetQueueAttributes": get_queue_attributes,
    "ReceiveMessage": receive_message,
    "DeleteMessage": delete_message,
}
