"""Encryption of secrets that this installation must be able to read again.

They are encrypted and not hashed because they are used: to sign, or to sign in elsewhere. The key
is derived from SECRET_KEY, another one for each purpose. Keys in SECRET_KEY_FALLBACKS still
decrypt.
"""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class SealError(ValueError):
    """The secret cannot be decrypted: it was encrypted with a SECRET_KEY that is no longer set."""


def seal(secret: str, purpose: str) -> str:
    """Encrypt a secret (Fernet: AES-128-CBC with HMAC-SHA256). The result differs each time."""
    return _keys(purpose).encrypt(secret.encode()).decode()


def unseal(sealed: str, purpose: str) -> str:
    """Decrypt a secret that was sealed for this purpose. Raises SealError."""
    try:
        return _keys(purpose).decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise SealError(
            "The secret cannot be decrypted because SECRET_KEY was changed. Enter it again."
        ) from error


def _keys(purpose: str) -> MultiFernet:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return MultiFernet([_fernet(key, purpose) for key in keys])


def _fernet(key: str, purpose: str) -> Fernet:
    info = f"concord {purpose}".encode()
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=info)
    return Fernet(base64.urlsafe_b64encode(kdf.derive(key.encode())))
