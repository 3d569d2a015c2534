"""Encrypt the secrets of webhooks in the database: signing needs them."""

from __future__ import annotations

from core.security import sealing

PURPOSE = "webhook secrets"


class WebhookSealError(sealing.SealError):
    """The secret cannot be decrypted: it was encrypted with a SECRET_KEY that is no longer set."""


def seal(secret: str) -> str:
    """Encrypt a secret. The result differs each time."""
    return sealing.seal(secret, PURPOSE)


def unseal(sealed: str) -> str:
    """Decrypt a secret. Raises SealError."""
    try:
        return sealing.unseal(sealed, PURPOSE)
    except sealing.SealError as error:
        raise WebhookSealError(
            "The secret cannot be decrypted because SECRET_KEY was changed. Create a new secret "
            "and give it to the receiver."
        ) from error
