"""Pseudonyms of raters: the names that a set's files, pages and API show.

A rater has one pseudonym in a set: the same on its pages, in the API and in every file of every
version. Each set has a random key, so the raters of two sets cannot be linked by their pseudonyms,
nor a set's raters with the names on a study's pages, which its payments keep after a rater was
erased.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

from benchmarks.sets.models import JudgmentSet

HEX_DIGITS = 12


def pseudonyms(judgment_set: JudgmentSet) -> Callable[[str], str]:
    """The function from a rater's stored name to the pseudonym: `w-` and 12 hex digits; "" stays
    empty."""
    key = bytes.fromhex(judgment_set.pseudonym_key)

    def pseudonym(worker: str) -> str:
        if not worker:
            return worker
        digest = hmac.new(key, worker.encode("utf-8", "surrogatepass"), hashlib.sha256)
        return f"w-{digest.hexdigest()[:HEX_DIGITS]}"

    return pseudonym
