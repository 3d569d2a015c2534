"""Workers' names for the outside: pseudonyms by a key of each export's own.

Within one export a worker has one name. Two exports have different keys, so that their workers
cannot be joined, not even by whoever has both; a fresh key is drawn, used and forgotten. The owner
of a set may ask for names that stay the same from export to export, which its pages show as well:
they are derived from the installation's secret and the set's name, so that the names of one set
say nothing of another's.
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
    """Called with a worker's name in the set, gives the name for the outside: `w-` and twelve hex
    digits; an empty name stays empty."""

    key: bytes
    is_stable: bool = False

    @classmethod
    def fresh(cls) -> Pseudonyms:
        """Of one export alone."""
        return cls(secrets.token_bytes(KEY_BYTES))

    @classmethod
    def stable(cls, judgment_set: JudgmentSet) -> Pseudonyms:
        """The same for all versions of a set, at any time."""
        purpose = f"pseudonyms of {judgment_set.name}"
        return cls(derive_key(settings.SECRET_KEY, purpose), is_stable=True)

    def __call__(self, worker: str) -> str:
        if not worker:
            return worker
        digest = hmac.new(self.key, worker.encode("utf-8", "surrogatepass"), hashlib.sha256)
        return f"w-{digest.hexdigest()[:HEX_DIGITS]}"

    @property
    def mark(self) -> str:
        """Tells by which key an export was made, and not the key: 16 hex digits of its hash."""
        return hashlib.sha256(self.key).hexdigest()[:16]
