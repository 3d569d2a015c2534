"""Write the keys that a restored database needs, and check for missing ones."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from annotation.identities.sealing import IdentitySealError
from annotation.rating.models import Worker
from config.backup.programs import BackupError
from core.webhooks import sealing
from core.webhooks.models import Webhook

HEAD = """\
# The keys of a Concord installation. With them and a backup, the identities of raters can be read.
# Store them apart from backups. Usage: set these variables in the environment of every process.
"""


def write(path: Path) -> None:
    """Write the keys to a new environment file with mode 0600."""
    lists = {
        "SECRET_KEY": [settings.SECRET_KEY],
        "SECRET_KEY_FALLBACKS": settings.SECRET_KEY_FALLBACKS,
        "IDENTITY_KEYS": settings.IDENTITY_KEYS,
    }
    lines = [f"{name}={shlex.quote(','.join(keys))}\n" for name, keys in lists.items() if keys]
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise BackupError(f"{path} already exists. Give a new file for the keys.") from error
    except OSError as error:
        raise BackupError(f"{path} cannot be written: {error.strerror}.") from error
    with os.fdopen(descriptor, "w") as file:
        file.write(HEAD + "".join(lines))


def missing_keys() -> Iterator[str]:
    """The settings whose keys cannot decrypt the data in the database."""
    worker = Worker.objects.filter(identity__isnull=False).order_by("pk").last()
    try:
        if worker is not None and worker.identity is not None:
            worker.identity.open()
    except IdentitySealError:
        yield "IDENTITY_KEYS"
    webhook = Webhook.objects.order_by("pk").last()
    try:
        if webhook is not None:
            sealing.unseal(webhook.sealed_secret)
    except sealing.WebhookSealError:
        yield "SECRET_KEY"
