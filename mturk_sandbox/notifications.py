"""Notifications of HIT types, sent to queues as MTurk sends them to SQS.

The body is that of the API reference's pages on the SQS and SNS transports. SNS and e-mail
destinations are accepted, but nothing is sent.
"""

from __future__ import annotations

import json
import time
import uuid
from typing import Any
from urllib.parse import urlsplit

from mturk_sandbox.context import Context, OperationCall, Parameters, operation
from mturk_sandbox.errors import does_not_exist, invalid, request_error

VERSIONS = ("2006-05-05", "2014-08-15")


def notify(
    context: Context, hit_id: str, event: str, *, assignment_id: str = "", at: float | None = None
) -> None:
    """Send an event of a HIT if its type's notification includes it."""
    row = context.one(
        "SELECT t.id, t.account, t.notification, t.notification_active FROM hits h"
        " JOIN hit_types t ON t.id = h.type_id WHERE h.id = ?",
        hit_id,
    )
    if row is None or not row["notification_active"] or row["notification"] is None:
        return
    notification = json.loads(row["notification"])
    if event in notification["EventTypes"]:
        document = _event(
            event, context.now if at is None else at, row["id"], hit_id, assignment_id
        )
        _send(context, row["account"], notification, document)


def _event(
    event: str, at: float, type_id: str, hit_id: str, assignment_id: str = ""
) -> dict[str, str]:
    document = {
        "EventType": event,
        "EventTimestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at)),
        "HITTypeId": type_id,
        "HITId": hit_id,
    }
    if assignment_id:
        document["AssignmentId"] = assignment_id
    return document


def _send(
    context: Context, account: str, notification: dict[str, Any], event: dict[str, str]
) -> None:
    queue = queue_name(notification["Destination"])
    if notification["Transport"] != "SQS" or not _queue_exists(context, queue):
        return
    customer = context.one("SELECT customer_id FROM accounts WHERE id = ?", account)
    body = json.dumps(
        {
            "EventDocVersion": notification["Version"],
            "EventDocId": uuid.uuid4().hex,
            "CustomerId": "" if customer is None else customer["customer_id"],
            "Events": [event],
        }
    )
    copies = 2 if context.options.faults.next_message_is_doubled() else 1
    for _ in range(copies):
        put_message(context, queue, body)


def queue_name(url: str) -> str:
    """The queue's name in a URL: its last part, for any host."""
    return urlsplit(url).path.rstrip("/").rpartition("/")[2]


def _queue_exists(context: Context, name: str) -> bool:
    return context.one("SELECT 1 FROM queues WHERE name = ?", name) is not None


def put_message(context: Context, queue: str, body: str) -> None:
    """Add a message to a queue."""
    context.run(
        "INSERT INTO messages (id, queue, body, sent, visible_at) VALUES (?, ?, ?, ?, ?)",
        str(uuid.uuid4()),
        queue,
        body,
        context.now,
        context.now,
    )


def _check(context: Context, notification: dict[str, Any]) -> None:
    if notification["Version"] not in VERSIONS:
        raise invalid(f"The Version of a notification is one of {', '.join(VERSIONS)}.")
    if not notification["EventTypes"]:
        raise invalid("A notification has one of EventTypes at least.")
    queue = queue_name(notification["Destination"])
    if notification["Transport"] == "SQS" and not _queue_exists(context, queue):
        raise request_error(
            "InvalidTransportEndpoint",
            f"The queue {notification['Destination']} does not exist on this server.",
        )


@operation("UpdateNotificationSettings")
def update_notification_settings(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Replace a HIT type's notification, or turn it on or off; a new one is on."""
    type_id = parameters["HITTypeId"]
    row = call.one(
        "SELECT notification FROM hit_types WHERE id = ? AND account = ?", type_id, call.account
    )
    if row is None:
        raise does_not_exist("HITType", type_id)
    notification, active = parameters.get("Notification"), parameters.get("Active")
    if notification is None and active is None:
        raise invalid("One of Notification and Active is needed.")
    if notification is None and row["notification"] is None:
        raise invalid(f"HITType {type_id} has no notification to turn on or off.")
    if notification is not None:
        _check(call, notification)
        if "Ping" in notification["EventTypes"]:
            raise invalid("Ping is for SendTestEventNotification only.")
    call.run(
        "UPDATE hit_types SET notification = ?, notification_active = ? WHERE id = ?",
        row["notification"] if notification is None else json.dumps(notification),
        active is not False,
        type_id,
    )
    return {}
