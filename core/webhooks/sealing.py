"""Secrets of webhooks in the database: encrypted, since they are needed again to sign.

The keys come from SECRET_KEY, and from SECRET_KEY_FALLBACKS while that is changed: what was sealed
under an older key opens as long as it stands there.
"""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class SealError(ValueError):
    """No key that is left opens the secret: it was sealed under a SECRET_KEY that is gone."""


def seal(secret: str) -> str:
    """The secret, encrypted (Fernet: AES-128-CBC with HMAC-SHA256); differently each time."""
    return _keys().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str:
    """The secret. Raises SealError."""
    try:
        return _keys().decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise SealError(
            "The secret cannot be read any more, since the installation's SECRET_KEY was changed: "
            "make a new one and give it to the receiver."
        ) from error


def _keys() -> MultiFernet:
    return MultiFernet(
        [_fernet(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    )


def _fernet(key: str) -> Fernet:
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"concord webhook secrets")
    return Fernet(base64.urlsafe_b64encode(kdf.derive(key.encode())))
