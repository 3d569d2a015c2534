"""Look-up of workers by their id at a provider, through a keyed hash."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import datetime

from django.conf import settings

from annotation.identities.sealing import Sealed, lookups
from annotation.rating.models import Worker
from annotation.studies.models import Study


def get_or_create_worker(
    study: Study, provider: str, provider_id: str, *, simulated: bool = False, at: datetime
) -> Worker:
    """The study's worker with this id at the provider; created at the first visit."""
    worker = Worker.objects.known_as(provider, provider_id).filter(study=study).first()
    if worker is not None:
        return worker
    new_worker, _ = Worker.objects.get_or_create(
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
    return new_worker


def _name(study: Study, provider: str, provider_id: str, simulated: bool) -> str:
    """The worker's name for researchers.

    It is random, so that it cannot be derived from the id. The name of a simulated worker is
    derived from its seed, so that simulations can be repeated.
    """
    if not simulated:
        return f"w-{secrets.token_hex(6)}"
    key = f"concord worker name {settings.SECRET_KEY}".encode()
    text = f"{study.slug}:{provider}:{provider_id}"
    digest = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return f"w-{digest[:10]}"
