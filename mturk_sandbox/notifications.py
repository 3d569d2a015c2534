"""Notifications of HIT types, sent to queues as MTurk sends them to SQS.

The body is that of the API reference's page on the SQS transport.
"""

from __future__ import annotations

import json
import time
import uuid
from typing import Any
from urllib.parse import urlsplit

from mturk_sandbox.context import Context, OperationCall, Parameters, operation
from mturk_sandbox.errors import does_not_exist, invalid, request_error


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
    if not _queue_exists(context, queue):
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


@operation("UpdateNotificationSettings")
def update_notification_settings(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Replace the notification of a HIT type, which goes to a queue of this server."""
    type_id, notification = parameters["HITTypeId"], parameters.get("Notification")
    row = call.one("SELECT 1 FROM hit_types WHERE id = ? AND account = ?", type_id, call.account)
    if row is None:
        raise does_not_exist("HITType", type_id)
    if notification is None or notification["Transport"] != "SQS":
        raise invalid("The sandbox sends Notifications by SQS only.")
    if not _queue_exists(call, queue_name(notification["Destination"])):
        raise request_error(
            "InvalidTransportEndpoint",
            f"The queue {notification['Destination']} does not exist on this server.",
        )
    call.run(
        "UPDATE hit_types SET notification = ?, notification_active = ? WHERE id = ?",
        json.dumps(notification),
        parameters.get("Active") is not False,
        type_id,
    )
    return {}
