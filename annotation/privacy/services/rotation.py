"""Re-encryption of identities under a new key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment
from annotation.crowds.services.erased_ids import store_retired_keys
from annotation.crowds.services.identities import identity_of
from annotation.identities.sealing import Sealed, lookups
from annotation.rating.models import Worker


@dataclass(frozen=True)
class RotationResult:
    """How many values were re-encrypted."""

    workers: int
    answers: int


def rotate_keys(batch: int = 500) -> RotationResult:
    """Re-encrypt everything under the first of IDENTITY_KEYS, in short transactions.

    Repeated runs are harmless. Afterwards the other keys are no longer needed. Raises SealError.
    """
    with transaction.atomic():
        store_retired_keys(at=now())
    workers = answers = 0
    # What was erased since the rows were listed is skipped under the lock.
    identified = Worker.objects.filter(identity__isnull=False)
    for pks in _batches(identified, batch):
        with transaction.atomic():
            for worker in identified.select_for_update().filter(pk__in=pks):
                opened = identity_of(worker)
                worker.identity = Sealed.of(opened)
                worker.identity_key = lookups(worker.provider, opened)[0]
                worker.save(update_fields=["identity", "identity_key"])
                workers += 1
    answered = CrowdAssignment.objects.filter(answer__isnull=False)
    for pks in _batches(answered, batch):
        with transaction.atomic():
            for crowd in answered.select_for_update().filter(pk__in=pks):
                assert crowd.answer is not None
                CrowdAssignment.objects.filter(pk=crowd.pk).update(answer=crowd.answer.reseal())
                answers += 1
    return RotationResult(workers, answers)


def _batches(rows: object, size: int) -> Iterator[list[int]]:
    pks = list(rows.order_by("pk").values_list("pk", flat=True))  # type: ignore[attr-defined]
    for start in range(0, len(pks), size):
        yield pks[start : start + size]
