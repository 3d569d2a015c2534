"""Encrypt the secrets of webhooks in the database.

They are encrypted and not hashed because signing needs them. The key is derived from SECRET_KEY.
Keys in SECRET_KEY_FALLBACKS still decrypt.
"""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class SealError(ValueError):
    """The secret cannot be decrypted: it was encrypted with a SECRET_KEY that is no longer set."""


def seal(secret: str) -> str:
    """Encrypt a secret (Fernet: AES-128-CBC with HMAC-SHA256). The result differs each time."""
    return _keys().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str:
    """Decrypt a secret. Raises SealError."""
    try:
        return _keys().decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise SealError(
            "The secret cannot be decrypted because SECRET_KEY was changed. Create a new secret "
            "and give it to the receiver."
        ) from error


def _keys() -> MultiFernet:
    return MultiFernet(
        [_fernet(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    )


def _fernet(key: str) -> Fernet:
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"concord webhook secrets")
    return Fernet(base64.urlsafe_b64encode(kdf.derive(key.encode())))
