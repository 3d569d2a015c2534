"""Sign webhook messages and verify signatures. It does not depend on Django.

The format is Standard Webhooks (standardwebhooks.com), with libraries in most languages. The
headers are `webhook-id`, `webhook-timestamp` and `webhook-signature`. The signature is "v1," and
the base64-encoded HMAC-SHA256 of id, timestamp and body, joined by dots.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping

PREFIX = "whsec_"
SECRET_BYTES = 32
TOLERANCE = 300  # maximum difference of a timestamp from the receiver's clock, in seconds
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"


class SignatureError(ValueError):
    """The signature is not valid; the message says why."""


def new_secret() -> str:
    """A new secret: `whsec_` and 32 random bytes in base64."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers of a message; `timestamp` is in seconds since 1970."""
    return {
        ID: message_id,
        TIMESTAMP: str(timestamp),
        SIGNATURE: f"v1,{_signature(secret, message_id, timestamp, body)}",
    }


def verify(secret: str, headers: Mapping[str, str], body: bytes, *, at: float) -> None:
    """Check the signature of a received message. Raises SignatureError.

    at: the receiver's time in seconds since 1970; it may differ by five minutes. If the header has
    several signatures, as during a change of the secret, one valid signature is enough.
    """
    by_name = {name.lower(): value for name, value in headers.items()}
    message_id, stamp, signatures = (by_name.get(name, "") for name in (ID, TIMESTAMP, SIGNATURE))
    if not (message_id and stamp and signatures):
        raise SignatureError("a header of the signature is missing")
    if not re.fullmatch(r"[0-9]{1,15}", stamp) or abs(int(stamp) - at) > TOLERANCE:
        raise SignatureError(
            "the timestamp differs from the present time by more than five minutes"
        )
    expected = _signature(secret, message_id, int(stamp), body)
    for entry in signatures.split():
        version, _, signature = entry.partition(",")
        if version == "v1" and hmac.compare_digest(signature.encode(), expected.encode()):
            return
    raise SignatureError("the signature does not match the body and the secret")


def _signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise SignatureError("the secret must be whsec_ and base64") from error
    signed = f"{message_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
