"""Lookup keys out of use, kept for the marks of those who were forgotten while they were in use.

A mark cannot be made anew under another key, since nobody knows any more what it is the mark of.
"""

from __future__ import annotations

import hashlib
from datetime import datetime

from django.db.models import Q

from annotation.crowds.models import CrowdAssignment
from annotation.identities.sealing import Sealed, lookup, lookup_keys
from annotation.rating.models import RetiredLookupKey

# How the mark of a forgotten assignment begins.
MARK = "erased-"


def retired_keys() -> list[bytes]:
    """These keys. Raises SealError."""
    return [bytes.fromhex(_key(row).open()) for row in RetiredLookupKey.objects.order_by("pk")]


def retire(*, at: datetime) -> None:
    """Keep all lookup keys but the first, and seal what is kept under the first of IDENTITY_KEYS;
    where there are no marks, nothing is kept. Again, it does no harm. Raises SealError."""
    if not CrowdAssignment.objects.filter(provider_id__startswith=MARK).exists():
        RetiredLookupKey.objects.all().delete()
        return
    for row in RetiredLookupKey.objects.select_for_update():
        RetiredLookupKey.objects.filter(pk=row.pk).update(key=_key(row).resealed())
    for key in lookup_keys()[1:]:
        RetiredLookupKey.objects.get_or_create(
            fingerprint=hashlib.sha256(key).hexdigest()[:32],
            defaults={"key": Sealed.of(key.hex()), "retired_at": at},
        )


def _key(row: RetiredLookupKey) -> Sealed:
    assert row.key is not None  # the column has no null
    return row.key


def erased_marks(provider_id: str) -> list[str]:
    """What an erased worker's assignment is called here: the platform may report it again, and
    must not bring the worker back. The present mark comes first, then those of keys that are no
    longer in use."""
    keys = [*lookup_keys(), *retired_keys()]
    return [f"{MARK}{lookup(key, 'assignment', provider_id)[:60]}" for key in keys]


def erased_as(provider_id: str) -> Q:
    """Finds an assignment by the platform's name for it, also where it is of somebody erased."""
    return Q(provider_id__in=[provider_id, *erased_marks(provider_id)])
