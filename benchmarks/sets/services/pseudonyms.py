"""Pseudonyms of workers in exports.

Within one export a worker has one pseudonym. Each export uses a new random key, which is not
stored, so that the workers of two exports cannot be linked. The owner of a set can request stable
pseudonyms, which the set's pages also show. Their key is derived from SECRET_KEY and the set's
name, so that the workers of two sets cannot be linked either.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass

from django.conf import settings

from annotation.identities.sealing import derive_key
from benchmarks.sets.models import JudgmentSet

KEY_BYTES, HEX_DIGITS = 32, 12


@dataclass(frozen=True, repr=False)
class Pseudonyms:
    """Maps a worker's stored name to a pseudonym: `w-` and 12 hex digits. "" stays empty."""

    key: bytes
    is_stable: bool = False

    @classmethod
    def fresh(cls) -> Pseudonyms:
        """Pseudonyms of one export only."""
        return cls(secrets.token_bytes(KEY_BYTES))

    @classmethod
    def stable(cls, judgment_set: JudgmentSet) -> Pseudonyms:
        """The same pseudonyms in every export of every version of a set."""
        purpose = f"pseudonyms of {judgment_set.name}"
        return cls(derive_key(settings.SECRET_KEY, purpose), is_stable=True)

    def __call__(self, worker: str) -> str:
        if not worker:
            return worker
        digest = hmac.new(self.key, worker.encode("utf-8", "surrogatepass"), hashlib.sha256)
        return f"w-{digest.hexdigest()[:HEX_DIGITS]}"

    @property
    def key_fingerprint(self) -> str:
        """The first 16 hex digits of the key's SHA-256: identifies the key without revealing it."""
        return hashlib.sha256(self.key).hexdigest()[:16]
