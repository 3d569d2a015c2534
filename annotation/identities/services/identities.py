"""Who workers are at their providers: found by a keyed hash, opened only to tell a provider."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, Publication
from annotation.crowds.providers.provider import CrowdError
from annotation.identities.sealing import Sealed, lookups
from annotation.identities.services.retired_keys import retire
from annotation.rating.models import Worker
from annotation.studies.models import Study


def worker_known_as(
    study: Study, provider: str, provider_id: str, *, simulated: bool = False, at: datetime
) -> Worker:
    """The study's worker with this id at the provider, made at the first visit."""
    found = Worker.objects.known_as(provider, provider_id).filter(study=study).first()
    if found is not None:
        return found
    made, _ = Worker.objects.get_or_create(
        study=study,
        provider=provider,
        identity_key=lookups(provider, provider_id)[0],
        defaults={
            "identity": Sealed.of(provider_id),
            "name": _name(study, provider, provider_id, simulated),
            "simulated": simulated,
            "created_at": at,
        },
    )
    return made


def identity_of(worker: Worker) -> str:
    """The worker's id at their provider. Raises CrowdError where it was removed."""
    if worker.identity is None:
        raise CrowdError(
            f"{worker.name}'s identity was removed, so their platform cannot be told who it is."
        )
    return worker.identity.open()


@contextmanager
def opened_for(worker: Worker) -> Iterator[str]:
    """The worker's id, to tell their provider; what the provider answers with an error is passed
    on with the worker's name in its place, since that is stored and shown. Raises CrowdError."""
    opened = identity_of(worker)
    try:
        yield opened
    except CrowdError as error:
        error.args = tuple(str(part).replace(opened, worker.name) for part in error.args)
        raise


@dataclass(frozen=True)
class Rotated:
    """How much was sealed anew."""

    workers: int
    answers: int
    invitations: int


def rotate_keys(batch: int = 500) -> Rotated:
    """Seal everything anew under the first of IDENTITY_KEYS, in short transactions; running it
    again does no harm. After it the other keys open nothing that is needed. Raises SealError."""
    with transaction.atomic():
        retire(at=now())
    workers = answers = invitations = 0
    for pks in _batches(Worker.objects.filter(identity__isnull=False), batch):
        with transaction.atomic():
            for worker in Worker.objects.select_for_update().filter(pk__in=pks):
                opened = identity_of(worker)
                worker.identity = Sealed.of(opened)
                worker.identity_key = lookups(worker.provider, opened)[0]
                worker.save(update_fields=["identity", "identity_key"])
                workers += 1
    for pks in _batches(CrowdAssignment.objects.filter(answer__isnull=False), batch):
        with transaction.atomic():
            for crowd in CrowdAssignment.objects.select_for_update().filter(pk__in=pks):
                assert crowd.answer is not None
                CrowdAssignment.objects.filter(pk=crowd.pk).update(answer=crowd.answer.resealed())
                answers += 1
    for pks in _batches(Publication.objects.exclude(offer__invited=[]), batch):
        with transaction.atomic():
            for publication in Publication.objects.select_for_update().filter(pk__in=pks):
                invited = [Sealed(one).resealed().token for one in publication.offer["invited"]]
                publication.offer = {**publication.offer, "invited": invited}
                publication.save(update_fields=["offer"])
                invitations += len(invited)
    return Rotated(workers, answers, invitations)


def _batches(rows: object, size: int) -> Iterator[list[int]]:
    pks = list(rows.order_by("pk").values_list("pk", flat=True))  # type: ignore[attr-defined]
    for start in range(0, len(pks), size):
        yield pks[start : start + size]


def _name(study: Study, provider: str, provider_id: str, simulated: bool) -> str:
    """What researchers see: drawn, so that not even this installation can tell it from an id. A
    simulated worker's follows from its seed, so that a simulation can be repeated."""
    if not simulated:
        return f"w-{secrets.token_hex(6)}"
    key = f"concord worker name {settings.SECRET_KEY}".encode()
    text = f"{study.slug}:{provider}:{provider_id}"
    digest = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return f"w-{digest[:10]}"
