"""How a receiver knows that a message is ours, fresh and whole. Pure: no Django.

The form is that of Standard Webhooks (standardwebhooks.com), for which there are libraries in most
languages: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, the last holding
"v1," and the base64 of HMAC-SHA256 over id, timestamp and body, joined by dots.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Mapping

PREFIX = "whsec_"
SECRET_BYTES = 32
TOLERANCE = 300  # seconds a message may be old, or ahead of the receiver's clock
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"


class SignatureError(ValueError):
    """A message that is not to be believed; the message says why."""


def new_secret() -> str:
    """A secret as receivers keep it: `whsec_` and the base64 of 32 random bytes."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers of a message sent at `timestamp`, in seconds since 1970."""
    return {
        ID: message_id,
        TIMESTAMP: str(timestamp),
        SIGNATURE: f"v1,{_signature(secret, message_id, timestamp, body)}",
    }


def verify(secret: str, given: Mapping[str, str], body: bytes, *, at: float) -> None:
    """What a receiver does first. Raises SignatureError unless the body is as it was signed with
    this secret, at most five minutes before or after `at` (seconds since 1970).

    Of several signatures in the header, as while a secret is changed, one is enough.
    """
    found = {name.lower(): value for name, value in given.items()}
    message_id, stamp, signatures = (found.get(name, "") for name in (ID, TIMESTAMP, SIGNATURE))
    if not (message_id and stamp and signatures):
        raise SignatureError("a header of the signature is missing")
    if not (stamp.isascii() and stamp.isdigit()) or abs(int(stamp) - at) > TOLERANCE:
        raise SignatureError("the timestamp is not of the last five minutes")
    expected = _signature(secret, message_id, int(stamp), body)
    for one in signatures.split():
        version, _, signature = one.partition(",")
        if version == "v1" and hmac.compare_digest(signature.encode(), expected.encode()):
            return
    raise SignatureError("the signature is not that of this secret")


def _signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise SignatureError("the secret is not whsec_ and base64") from error
    signed = f"{message_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
