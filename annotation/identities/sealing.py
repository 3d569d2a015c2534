"""Who somebody is elsewhere, kept so that only this installation can read it.

A sealed text is encrypted (Fernet: AES-128 in CBC mode with an HMAC), differently every time, so
that a copy of the database says nothing without the keys. It is found again by its lookup, a keyed
hash. Both kinds of keys come from IDENTITY_KEYS, newest first: the first one seals, all of them
open, so that keys are changed by putting a new one in front and running `rotate_identity_keys`.
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


class SealError(ValueError):
    """A sealed text that none of the keys opens; the message says what to do."""


@dataclass(frozen=True, repr=False)
class Sealed:
    """An encrypted text. It is never shown by accident: printed, it says that it is sealed."""

    token: str

    @classmethod
    def of(cls, text: str) -> Sealed:
        return cls(_fernets()[0].encrypt(text.encode("utf-8", "surrogatepass")).decode())

    def open(self) -> str:
        """The text. Only for what a provider must be told. Raises SealError."""
        try:
            opened = MultiFernet(_fernets()).decrypt(self.token)
        except InvalidToken as error:
            raise SealError(
                "None of the keys in IDENTITY_KEYS opens what is kept here. Put the key back that "
                "was there when it was written, after the new ones."
            ) from error
        return opened.decode("utf-8", "surrogatepass")

    def resealed(self) -> Sealed:
        """The same text under the first key. Raises SealError."""
        return Sealed.of(self.open())

    def __repr__(self) -> str:
        return "(sealed)"


def lookups(*parts: str) -> list[str]:
    """What finds a sealed text again, one for each key, that of the first key first: 64 hex
    digits, which without the key tell nothing of the parts."""
    return [lookup(key, *parts) for key in lookup_keys()]


def lookup(key: bytes, *parts: str) -> str:
    """The same by one of `lookup_keys`, or by one that was among them."""
    text = b"\0".join(part.encode("utf-8", "surrogatepass") for part in parts)
    return hmac.new(key, text, hashlib.sha256).hexdigest()


def lookup_keys() -> list[bytes]:
    """The keys of `lookups`, which open nothing: that of the first of IDENTITY_KEYS first."""
    return [derived(key, "lookup") for key in settings.IDENTITY_KEYS]


@lru_cache(maxsize=64)
def derived(key: str, purpose: str) -> bytes:
    """32 bytes for one purpose of a key (HKDF, RFC 5869), so that no purpose betrays another."""
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=f"concord {purpose}".encode())
    return kdf.derive(key.encode())


def _fernets() -> list[Fernet]:
    return [_fernet(key) for key in settings.IDENTITY_KEYS]


@lru_cache(maxsize=16)
def _fernet(key: str) -> Fernet:
    return Fernet(base64.urlsafe_b64encode(derived(key, "seal")))
