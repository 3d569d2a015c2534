"""Encryption of identities, so that only this installation can read them.

A sealed text is encrypted (Fernet: AES-128 in CBC mode with an HMAC) with a random part, so that a
copy of the database reveals nothing without the keys. It is found by its lookup, a keyed hash. Both
keys are derived from IDENTITY_KEYS, newest first: the first one seals, all of them open. To change
the key, put a new one in front and run `rotate_identity_keys`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class IdentitySealError(ValueError):
    """A sealed text that no key opens. The message says what to do."""


@dataclass(frozen=True, repr=False)
class Sealed:
    """An encrypted text. Its representation does not reveal it."""

    token: str

    @classmethod
    def of(cls, text: str) -> Sealed:
        return cls(_fernets()[0].encrypt(text.encode("utf-8", "surrogatepass")).decode())

    def open(self) -> str:
        """Decrypt the text. Only for calls to a provider. Raises SealError."""
        try:
            opened = MultiFernet(_fernets()).decrypt(self.token)
        except InvalidToken as error:
            raise IdentitySealError(
                "No key in IDENTITY_KEYS opens a stored identity. Add the key with which it was "
                "sealed to the end of IDENTITY_KEYS."
            ) from error
        return opened.decode("utf-8", "surrogatepass")

    def reseal(self) -> Sealed:
        """The same text sealed under the first key. Raises SealError."""
        return Sealed.of(self.open())

    def __repr__(self) -> str:
        return "(sealed)"


def lookups(*parts: str) -> list[str]:
    """Keyed hashes that find a sealed text, one per key, the first key's first: 64 hex digits."""
    return [lookup(key, *parts) for key in lookup_keys()]


def lookup(key: bytes, *parts: str) -> str:
    """The hash by one key, which may be a retired one."""
    text = b"\0".join(part.encode("utf-8", "surrogatepass") for part in parts)
    return hmac.new(key, text, hashlib.sha256).hexdigest()


def lookup_keys() -> list[bytes]:
    """The keys of `lookups`, derived from IDENTITY_KEYS in order. They open nothing."""
    return [derive_key(key, "lookup") for key in settings.IDENTITY_KEYS]


@lru_cache(maxsize=64)
def derive_key(key: str, purpose: str) -> bytes:
    """Derive 32 bytes from a key for one purpose (HKDF, RFC 5869)."""
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=f"concord {purpose}".encode())
    return kdf.derive(key.encode())


def _fernets() -> list[Fernet]:
    return [_fernet(key) for key in settings.IDENTITY_KEYS]


@lru_cache(maxsize=16)
def _fernet(key: str) -> Fernet:
    return Fernet(base64.urlsafe_b64encode(derive_key(key, "seal")))
