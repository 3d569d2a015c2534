"""Webhooks and the messages sent to them."""

from typing import TypedDict


class AttemptDocument(TypedDict):
    """A delivery attempt. `status` is the receiver's HTTP status; null if there was no answer."""

    at: str
    status: int | None
    error: str
    milliseconds: int
