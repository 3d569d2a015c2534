"""Ids that replace the provider's ids of erased workers' assignments.

An erased id is computed with the lookup key of its time. It cannot be computed again under another
key, so retired lookup keys are stored as long as such ids exist.
"""

from __future__ import annotations

import hashlib
from datetime import datetime

from django.db.models import Q

from annotation.crowds.models import CrowdAssignment
from annotation.identities.sealing import Sealed, lookup, lookup_keys
from annotation.rating.models import RetiredLookupKey

# The prefix of the id of an erased worker's assignment.
ERASED_PREFIX = "erased-"


def retired_keys() -> list[bytes]:
    """The retired lookup keys. Raises SealError."""
    return [bytes.fromhex(_key(row).open()) for row in RetiredLookupKey.objects.order_by("pk")]


def store_retired_keys(*, at: datetime) -> None:
    """Store all lookup keys but the first as retired, sealed under the first of IDENTITY_KEYS.

    Nothing is stored if there are no erased ids. Repeated calls have no effect. Raises SealError.
    """
    if not CrowdAssignment.objects.filter(provider_id__startswith=ERASED_PREFIX).exists():
        RetiredLookupKey.objects.all().delete()
        return
    for row in RetiredLookupKey.objects.select_for_update():
        RetiredLookupKey.objects.filter(pk=row.pk).update(key=_key(row).reseal())
    for key in lookup_keys()[1:]:
        RetiredLookupKey.objects.get_or_create(
            fingerprint=hashlib.sha256(key).hexdigest()[:32],
            defaults={"key": Sealed.of(key.hex()), "retired_at": at},
        )


def _key(row: RetiredLookupKey) -> Sealed:
    assert row.key is not None  # the column has no null
    return row.key


def erased_ids_of(provider_id: str) -> list[str]:
    """The ids that replace `provider_id` after its worker was erased.

    The platform may report the assignment again, which must not restore the worker. The id under
    the current key comes first, then those under retired keys.
    """
    keys = [*lookup_keys(), *retired_keys()]
    return [f"{ERASED_PREFIX}{lookup(key, 'assignment', provider_id)[:60]}" for key in keys]


def matches_assignment(provider_id: str) -> Q:
    """Match an assignment by the platform's id, also if its worker was erased."""
    return Q(provider_id__in=[provider_id, *erased_ids_of(provider_id)])
