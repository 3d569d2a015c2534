"""Webhooks and the messages sent to them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from concord.documents.base import Document
from concord.documents.conversion import Format


class WebhookEventDocument(TypedDict):
    """A kind of event, with an example of the `data` of its messages."""

    name: str
    title: str
    of: Annotated[Literal["study", "set", "account"], "The kind of object that the event is about."]
    example: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class WebhookDocument(Document):
    """One of your webhooks. Its secret was shown when it was created."""

    id: int
    kind: Literal["study", "set", "account"]
    key: Annotated[str, "The study's slug or the set's name."]
    has_access: Annotated[
        bool, "Whether you still have access to the study or set. Without it nothing is sent."
    ]
    url: str
    events: list[str]
    created_at: datetime
    disabled_at: Annotated[datetime | None, "Null while the webhook is on."]
    disabled_reason: str
    consecutive_failures: Annotated[int, "Messages in a row that could not be delivered."]


@dataclass(frozen=True, kw_only=True)
class NewWebhookDocument(WebhookDocument):
    """A webhook with its signing secret, which is not shown again."""

    secret: str


class AttemptDocument(TypedDict):
    """A delivery attempt. `status` is the receiver's HTTP status; null if there was no answer."""

    at: str
    status: int | None
    error: str
    milliseconds: int


@dataclass(frozen=True, kw_only=True)
class DeliveryDocument(Document):
    """A message to a webhook and the state of its delivery. Messages are deleted after a month."""

    id: Annotated[str, Format("uuid")]
    event: str
    status: Literal["waiting", "started", "done", "failed"]
    created_at: datetime
    next_at: Annotated[
        datetime | None, "Time of the next attempt; null when the delivery has ended."
    ]
    finished_at: datetime | None
    tries: Annotated[int, "Attempts since the message was last queued."]
    last: AttemptDocument | None


@dataclass(frozen=True, kw_only=True)
class WholeDeliveryDocument(DeliveryDocument):
    """A message with its signed body and its latest attempts, oldest first."""

    body: str
    log: list[AttemptDocument]
