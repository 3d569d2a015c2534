"""The worker whom a provider knows by an id: found by a keyed hash."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import datetime

from django.conf import settings

from annotation.identities.sealing import Sealed, lookups
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


def _name(study: Study, provider: str, provider_id: str, simulated: bool) -> str:
    """What researchers see: drawn, so that not even this installation can tell it from an id. A
    simulated worker's follows from its seed, so that a simulation can be repeated."""
    if not simulated:
        return f"w-{secrets.token_hex(6)}"
    key = f"concord worker name {settings.SECRET_KEY}".encode()
    text = f"{study.slug}:{provider}:{provider_id}"
    digest = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return f"w-{digest[:10]}"
