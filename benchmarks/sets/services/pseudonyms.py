"""Pseudonyms of raters: the names that a set's files, pages and API show.

A rater has one pseudonym in a set: the same on its pages, in the API and in every file of every
version. The key is derived from SECRET_KEY and the set's name, so the raters of two sets cannot be
linked by their pseudonyms, nor a set's raters with the names on a study's pages, which its payments
keep after a rater was erased.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

from django.conf import settings

from annotation.identities.sealing import derive_key
from benchmarks.sets.models import JudgmentSet

HEX_DIGITS = 12


def pseudonyms(judgment_set: JudgmentSet) -> Callable[[str], str]:
    """The function from a rater's stored name to the pseudonym: `w-` and 12 hex digits; "" stays
    empty."""
    key = derive_key(settings.SECRET_KEY, f"pseudonyms of {judgment_set.name}")

    def pseudonym(worker: str) -> str:
        if not worker:
            return worker
        digest = hmac.new(key, worker.encode("utf-8", "surrogatepass"), hashlib.sha256)
        return f"w-{digest.hexdigest()[:HEX_DIGITS]}"

    return pseudonym
